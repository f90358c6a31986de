/** Renders a board as an image. */

const STYLES = ['fill', 'stroke', 'stroke-width', 'stroke-linecap', 'stroke-linejoin', 'opacity', 'font-size', 'font-weight', 'text-anchor']

/** Inlines computed styles, since an SVG image has no style sheets. */
function inlineStyles(from: Element, to: Element) {
  const style = getComputedStyle(from)
  for (const name of STYLES) to.setAttribute(name, style.getPropertyValue(name))
  if (to.tagName === 'text') to.setAttribute('font-family', 'sans-serif')
  if (style.transform !== 'none') {
    // The hidden face of a disc has zero width; leave it out.
    if (style.transform.startsWith('matrix(0')) return to.remove()
    const isMoved = !from.classList.contains('face')
    if (isMoved && !from.hasAttribute('transform')) to.setAttribute('transform', style.transform)
  }
  to.removeAttribute('style')
  const copies = [...to.children]
  ;[...from.children].forEach((child, index) => {
    const copy = copies[index]
    if (copy) inlineStyles(child, copy)
  })
}

/** The board as PNG, `width` pixels wide. */
export async function boardImage(svg: SVGSVGElement, width: number): Promise<Blob> {
  const copy = svg.cloneNode(true) as SVGSVGElement
  inlineStyles(svg, copy)
  copy.querySelectorAll('[role="button"], .dot, .ring').forEach((extra) => extra.remove())
  const box = svg.viewBox.baseVal
  const height = Math.round((width * box.height) / box.width)
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  const source = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' }))
  try {
    const image = new Image()
    image.src = source
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = width
    canvas.height = height
    const context = canvas.getContext('2d')
    if (!context) throw new Error('no canvas')
    context.fillStyle = getComputedStyle(document.body).getPropertyValue('--ground') || '#fff'
    context.fillRect(0, 0, width, height)
    context.drawImage(image, 0, 0, width, height)
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no image'))), 'image/png')
    })
  } finally {
    URL.revokeObjectURL(source)
  }
}
