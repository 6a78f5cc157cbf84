import { describe, expect, test } from 'vitest'
import {
  definitionOf,
  draftOfAction,
  isJson,
  newAction,
  newParameter,
  type Action,
} from './action-draft.ts'
import { argumentsOf, requestOf } from './test-arguments.ts'

describe('the definition of a draft', () => {
  test('has milliseconds and bytes, and null for what is empty', () => {
    expect(definitionOf({ ...newAction, timeout_seconds: '1.5' }, [])).toMatchObject({
      timeout_ms: 1500,
      max_response_bytes: 256 * 1024,
      body_template: null,
      response_path: null,
    })
  })

  test('has the named headers only', () => {
    const headers = [
      { name: ' X-Shop ', value: '1' },
      { name: ' ', value: 'lost' },
    ]
    expect(definitionOf(newAction, headers).headers).toEqual({ 'X-Shop': '1' })
  })

  test('has fixed values of their type, and text as typed', () => {
    const fixed = { ...newParameter, source: 'fixed' as const }
    const parameters = [
      { ...fixed, key: 'n', type: 'number' as const, value: '3' },
      { ...fixed, key: 's', value: '3' },
    ]
    const definition = definitionOf({ ...newAction, parameters }, [])
    expect(definition.parameters?.map(({ value }) => value)).toEqual([3, '3'])
  })

  test('needs an object as the schema of a parameter', () => {
    const parameters = [{ ...newParameter, key: 'n', schema: '[]' }]
    expect(() => definitionOf({ ...newAction, parameters }, [])).toThrow(SyntaxError)
  })
})

const action = {
  name: 'look_up',
  title: '',
  description: 'Looks up an order.',
  method: 'GET',
  url: 'https://shop.example/orders/{number}?key={{var.KEY}}',
  parameters: [
    { in: 'path', key: 'number', type: 'string', source: 'ai', required: true },
    { in: 'query', key: 'full', type: 'boolean', source: 'ai', schema: { default: false } },
  ],
  headers: {},
  body_type: 'json',
  body_template: null,
  timeout_ms: 15_000,
  max_response_bytes: 262_144,
  response_path: null,
  enabled: true,
  requires_confirmation: false,
} as unknown as Action // the fields that the form has

test('an action that is opened and saved stays the same', () => {
  const { parameters = [], ...definition } = definitionOf(draftOfAction(action), [])
  const { parameters: saved, ...rest } = action
  expect(definition).toEqual(rest)
  expect(parameters).toMatchObject(saved)
})

describe('the values of a test', () => {
  const wanted = draftOfAction(action).parameters

  test('are JSON where the type is not text', () => {
    expect(argumentsOf(wanted, { number: '42', full: 'true' })).toEqual({
      number: '42',
      full: true,
    })
    expect(argumentsOf(wanted, { number: '', full: '' })).toEqual({})
    expect(argumentsOf(wanted, { full: 'yes' })).toBeNull()
  })

  test('fill the path of the request and leave variables alone', () => {
    expect(requestOf(action, { number: 'a/b', full: true })).toBe(
      'GET https://shop.example/orders/a%2Fb?key={{var.KEY}}\nquery full: true',
    )
  })
})

test('JSON is recognised', () => {
  expect(['{}', '"a"', 'a', ''].map(isJson)).toEqual([true, true, false, false])
})
