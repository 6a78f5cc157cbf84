import { describe, expect, test } from 'vitest'
import type { OpenVariable } from '#features/variables/index.ts'
import { createMask } from '#kernel/mask.ts'
import { actionDefinition, type NewAction } from './action-definition.ts'
import { buildRequest } from './build-request.ts'

const system = {
  conversation_id: 'c-1',
  user_id: 'u/1',
  timestamp: '2026-01-02T03:04:05.678Z',
  agent_name: 'Helper',
  last_user_message: 'Hi & bye',
}

function build(
  fields: Partial<NewAction>,
  args: Record<string, unknown> = {},
  variables: Record<string, OpenVariable['value']> = {},
  { user, ...more }: { user?: Record<string, string>; last_user_message?: string } = {},
) {
  const base = {
    name: 'a',
    description: 'a',
    method: 'GET',
    url: 'https://api.example.com/',
  } as const
  const definition = actionDefinition.parse({ ...base, ...fields })
  const byName = new Map(
    Object.entries(variables).map(([name, value]) => [name, { value, isSecret: false, hosts: [] }]),
  )
  const request = buildRequest(definition, {
    arguments: args,
    variables: { byName, mask },
    system: { ...system, ...more },
    user,
  })
  return { ...request, url: request.url.href }
}

const mask = await createMask([])

const ai = (place: 'path' | 'query' | 'header' | 'body', key: string) => ({ in: place, key })

describe('A value stays in its part of the request', () => {
  test.each([
    ['another segment', 'a/b', 'a%2Fb'],
    ['a query', 'a?x=1', 'a%3Fx%3D1'],
    ['a fragment', 'a#b', 'a%23b'],
    ['a host', '@evil.example', '%40evil.example'],
    ['a reference', '{{var.KEY}}', '%7B%7Bvar.KEY%7D%7D'],
    ['a backslash', '..\\..', '..%5C..'],
    ['an encoded dot', '%2e%2e', '%252e%252e'],
  ])('in the path, although it looks like %s', (_, city, written) => {
    const fields = { url: 'https://api.example.com/v1/{city}/w', parameters: [ai('path', 'city')] }
    expect(build(fields, { city }, { KEY: 'k' }).url).toBe(
      `https://api.example.com/v1/${written}/w`,
    )
  })

  test.each(['..', '.', ''])('and a segment “%s” is refused', (city) => {
    const fields = { url: 'https://api.example.com/v1/{city}', parameters: [ai('path', 'city')] }
    expect(() => build(fields, { city })).toThrow(/must not be empty/)
  })

  test.each(['..', '.', ''])('and a claim “%s” of the user is refused in the path', (id) => {
    const fields = { url: 'https://api.example.com/v1/{{user.id}}/orders' }
    expect(() => build(fields, {}, {}, { user: { id } })).toThrow(/must not be empty/)
    expect(build(fields, {}, {}, { user: { id: '../x' } }).url).toBe(
      'https://api.example.com/v1/..%2Fx/orders',
    )
    const query = { url: 'https://api.example.com/v1?id={{user.id}}#{{user.id}}' }
    expect(build(query, {}, {}, { user: { id } }).url).toBe(`https://api.example.com/v1?id=${id}`)
  })

  test.each(['..', '.'])('and a message “%s” of the user is refused in the path', (text) => {
    const fields = { url: 'https://api.example.com/v1/{{system.last_user_message}}/orders' }
    const given = { last_user_message: text }
    expect(() => build(fields, {}, {}, given)).toThrow(/must not be empty/)
  })

  test('and a claim of the user never chooses the host after a variable', () => {
    const user = { site: '.evil.example' }
    const fixed = { in: 'path', key: 'site', source: 'fixed', value: '{{user.site}}' } as const
    for (const [url, BASE] of [
      ['{{var.BASE}}{{user.site}}/x', 'https://api'],
      ['{{var.BASE}}//{{user.site}}/x', 'https:'],
    ] as const)
      expect(() => build({ url }, {}, { BASE }, { user })).toThrow(/choose the host|not valid/)
    expect(() =>
      build(
        { url: '{{var.BASE}}{site}/x', parameters: [fixed] },
        {},
        { BASE: 'https://api' },
        { user },
      ),
    ).toThrow(/choose the host/)
    expect(
      build({ url: '{{var.BASE}}/{{user.site}}' }, {}, { BASE: 'https://api.example' }, { user })
        .url,
    ).toBe('https://api.example/.evil.example')
  })

  test('in the query', () => {
    const parameters = [ai('query', 'q'), ai('query', 'tags')]
    const { url } = build(
      { url: 'https://api.example.com/?fixed=1', parameters },
      { q: 'a&b=c', tags: ['x', 'y z'] },
    )
    expect([...new URL(url).searchParams]).toEqual([
      ['fixed', '1'],
      ['q', 'a&b=c'],
      ['tags', 'x'],
      ['tags', 'y z'],
    ])
  })

  test('in a header, or is refused', () => {
    const fields = { parameters: [ai('header', 'X-City')] }
    expect(build(fields, { X_City: 'Bern' }).headers).toMatchObject({ 'x-city': 'Bern' })
    expect(() => build(fields, { X_City: 'a\r\nX-Admin: 1' })).toThrow(/plain ASCII/)
    expect(() => build(fields, { X_City: 'Zürich' })).toThrow(/plain ASCII/)
  })

  test('in a form', () => {
    const parameters = [ai('body', 'a'), ai('body', 'b')]
    const fields = { method: 'POST' as const, body_type: 'form' as const, parameters }
    expect(build(fields, { a: 'x&b=2', b: '1' })).toMatchObject({
      body: 'a=x%26b%3D2&b=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  })

  test('in a JSON template, with its type', () => {
    const fields = {
      method: 'POST',
      body_template:
        '{"order":{"id":"{{id}}","note":"by {{system.user_id}}: {{note}}","gone":"{{gone}}"},"ids":["{{id}}","{{gone}}"]}',
      parameters: [
        { ...ai('body', 'id'), type: 'integer' },
        ai('body', 'note'),
        ai('body', 'gone'),
      ],
    } as const
    const { body } = build({ ...fields, parameters: [...fields.parameters] }, { id: 5, note: '","admin":true,"x":"' }) // prettier-ignore
    expect(JSON.parse(body!)).toEqual({
      order: { id: 5, note: 'by u/1: ","admin":true,"x":"' },
      ids: [5],
    })
  })
})

describe('A request', () => {
  test('may have the base of its address in a variable', () => {
    const fields = { url: '{{var.BASE}}/v1/{{var.REGION}}/x' }
    expect(build(fields, {}, { BASE: 'https://api.example.com/', REGION: 'a/b' }).url).toBe(
      'https://api.example.com/v1/a%2Fb/x',
    )
  })

  test('sends values of every source as JSON', () => {
    const { body, headers } = build(
      {
        method: 'POST',
        parameters: [
          { in: 'body', key: 'fixed', source: 'fixed', type: 'array', value: ['{{var.A}}', 1] },
          { in: 'body', key: 'variable', source: 'variable', value: 'B' },
          { in: 'body', key: 'absent', source: 'variable', value: 'C' },
          { in: 'body', key: 'system', source: 'system', value: 'conversation_id' },
          { in: 'body', key: 'ai', type: 'object' },
          { in: 'body', key: 'left out' },
        ],
      },
      { ai: { deep: [true] } },
      { A: 'a', B: 7 },
    )
    expect(JSON.parse(body!)).toEqual({
      fixed: ['a', 1],
      variable: 7,
      system: 'c-1',
      ai: { deep: [true] },
    })
    expect(headers['content-type']).toBe('application/json')
  })

  test('without body parameters has no body', () => {
    expect(build({ method: 'DELETE' })).toMatchObject({ body: null })
    expect(build({ method: 'DELETE' }).headers).not.toHaveProperty('content-type')
  })

  test('needs its required variables', () => {
    const fields = { headers: { Authorization: 'Bearer {{var.TOKEN}}' } }
    expect(() => build(fields)).toThrow('The variable TOKEN has no value.')
    expect(build(fields, {}, { TOKEN: 't' }).headers).toMatchObject({ authorization: 'Bearer t' })
  })
})
