/** Keyboard shortcuts, active except in form fields and dialogs, and for keys that the board handles. */

export function shortcuts(actions: Record<string, () => unknown>) {
  $effect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      const target = event.target as HTMLElement | null
      if (target?.closest('input, textarea, select, dialog')) return
      const action = actions[event.key]
      if (!action) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  })
}
