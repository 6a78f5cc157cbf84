import { expect, test } from 'vitest'
import { problemOfFile, roomFor } from './attachment.ts'

const limits = { chat_files: 2, chat_file_bytes: 1_000, body_bytes: 206_000 }
const text = { size: 10, type: 'text/plain' }
const attached = { size: 10, type: 'file' } as const

test('a message has a limited number of files, and images besides them', () => {
  expect(problemOfFile(text, [attached], limits)).toBeNull()
  expect(problemOfFile(text, [attached, attached], limits)).toBe('tooMany')
  expect(problemOfFile({ size: 10, type: 'image/png' }, [attached, attached], limits)).toBeNull()
})

test('a file and all files of a message have a limited size', () => {
  expect(problemOfFile({ ...text, size: 1_001 }, [], limits)).toBe('tooLarge')
  expect(roomFor(limits)).toBe(4_500)
  const large = { size: 4_000, type: 'image' } as const
  expect(problemOfFile({ ...text, size: 501 }, [large], limits)).toBe('tooLargeTogether')
  expect(problemOfFile({ ...text, size: 500 }, [large], limits)).toBeNull()
})
