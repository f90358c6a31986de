//! Protocol Buffers: the wire format, without schemas.

/// A message under construction.
#[derive(Clone, Default)]
pub(super) struct Message(Vec<u8>);

// Wire types.
const VARINT: u64 = 0;
const FIXED32: u64 = 5;
const LENGTH_DELIMITED: u64 = 2;

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn key(&mut self, field: u64, wire_type: u64) {
        self.varint(field << 3 | wire_type);
    }

    /// Adds an integer or enum.
    pub(super) fn int(mut self, field: u64, value: u64) -> Self {
        self.key(field, VARINT);
        self.varint(value);
        self
    }

    pub(super) fn float(mut self, field: u64, value: f32) -> Self {
        self.key(field, FIXED32);
        self.0.extend(value.to_le_bytes());
        self
    }

    pub(super) fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.key(field, LENGTH_DELIMITED);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    pub(super) fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    pub(super) fn message(self, field: u64, message: &Self) -> Self {
        self.bytes(field, &message.0)
    }

    /// Adds a repeated field.
    pub(super) fn messages(self, field: u64, list: &[Self]) -> Self {
        list.iter().fold(self, |message, part| message.message(field, part))
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// A field of a message that is read.
#[derive(Clone, Copy)]
pub(super) enum Field<'a> {
    /// An integer, of any width.
    Int(u64),
    Float(f32),
    /// A text, a message or a list of numbers.
    Bytes(&'a [u8]),
}

impl<'a> Field<'a> {
    pub(super) const fn int(self) -> Option<u64> {
        match self {
            Self::Int(value) => Some(value),
            Self::Float(_) | Self::Bytes(_) => None,
        }
    }

    pub(super) const fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Int(_) | Self::Float(_) => None,
        }
    }

    pub(super) fn text(self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }
}

/// The fields of a message with their numbers, in the order of the file; `None` if it is malformed.
pub(super) fn read(message: &[u8]) -> Option<Vec<(u64, Field<'_>)>> {
    const FIXED64: u64 = 1;
    let (mut rest, mut fields) = (message, Vec::new());
    while !rest.is_empty() {
        let key = read_varint(&mut rest)?;
        let field = match key & 7 {
            VARINT => Field::Int(read_varint(&mut rest)?),
            FIXED64 => Field::Int(u64::from_le_bytes(*take(&mut rest, 8)?.first_chunk()?)),
            FIXED32 => Field::Float(f32::from_le_bytes(*take(&mut rest, 4)?.first_chunk()?)),
            LENGTH_DELIMITED => {
                let length = usize::try_from(read_varint(&mut rest)?).ok()?;
                Field::Bytes(take(&mut rest, length)?)
            }
            _ => return None,
        };
        fields.push((key >> 3, field));
    }
    Some(fields)
}

/// The integers of a repeated field, which may be packed.
pub(super) fn read_ints(field: Field<'_>) -> Option<Vec<u64>> {
    match field {
        Field::Int(value) => Some(vec![value]),
        Field::Bytes(mut packed) => {
            let mut values = Vec::new();
            while !packed.is_empty() {
                values.push(read_varint(&mut packed)?);
            }
            Some(values)
        }
        Field::Float(_) => None,
    }
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}

fn read_varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(rest, 1)?[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the Protocol Buffers documentation.
    #[test]
    fn the_wire_format_is_the_documented_one() {
        assert_eq!(Message::default().int(1, 150).into_bytes(), [0x08, 0x96, 0x01]);
        let text = [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67];
        assert_eq!(Message::default().text(2, "testing").into_bytes(), text);
        let nested = Message::default().message(3, &Message::default().int(1, 150));
        assert_eq!(nested.into_bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
    }

    #[test]
    fn messages_are_read_again() {
        let inner = Message::default().int(1, u64::MAX);
        let bytes =
            Message::default().text(2, "testing").float(5, 1.5).message(3, &inner).into_bytes();
        let fields = read(&bytes).expect("a message");
        let numbers: Vec<u64> = fields.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [2, 5, 3]);
        assert_eq!(fields[0].1.text(), Some("testing"));
        assert!(matches!(fields[1].1, Field::Float(1.5)));
        let inner = read(fields[2].1.bytes().expect("bytes")).expect("a message");
        assert_eq!(inner[0].1.int(), Some(u64::MAX));
        for end in 1..bytes.len() {
            // Truncated within a field, or between two.
            let _ = read(&bytes[..end]);
        }
        assert!(read(&[0x80; 11]).is_none() && read(&[0x12, 0xff, 0xff, 0x01]).is_none());
    }
}
