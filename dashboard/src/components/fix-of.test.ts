import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { OperationError } from '#api/operation-error.ts'
import { fixOf, fixOfCode } from './fix-of.ts'

const error = (code: string) => new OperationError('No', { code, status: 402 })

test('an error leads to the page that fixes it', () => {
  expect(fixOf(error('credits_used_up'))).toEqual({ to: '/settings/billing', label: 'billing' })
  expect(fixOfCode('model_rejected')?.to).toBe('/settings/providers')
})

test('an error that no page fixes leads nowhere', () => {
  expect(fixOf(error('record_not_found'))).toBeNull()
  expect(fixOf(new Error('credits_used_up'))).toBeNull()
})

test('every code that has a page is one that the service reports', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
  const reported = read('../../../server/src/operations/fault-wording.ts')
  const codes = [...read('./fix-of.ts').matchAll(/^ {2}\['(\w+)',/gm)].map(([, code = '']) => code)
  expect(codes.length).toBeGreaterThan(10)
  for (const code of codes) expect(reported).toContain(`  ${code}:`)
})
