import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { clientFeatures, packageOf } from '#test/support/chat/client-features.ts'
import { runProgram } from '#test/support/processes/run-program.ts'

const root = join(import.meta.dirname, '../../..')
const folder = join(import.meta.dirname, '../clients')

/** The cells of the tables of docs/clients.md, without their first two lines. */
function tables(): string[][][] {
  const page = readFileSync(join(root, 'docs/clients.md'), 'utf8')
  const found = page.match(/(?:^\|.*\n)+/gm) ?? []
  return found.map((table) => {
    const lines = table.trim().split('\n').slice(2)
    return lines.map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  })
}

interface Shown {
  readonly features: readonly string[]
  readonly title: string
}

/** The tests of a file that show features, in their order. */
function shownIn(source: string): Shown[] {
  const calls = source.matchAll(/^ *shows\(\s*\[([^\]]*)\],\s*(['"])(.*?)\2,/gm)
  return [...calls].map(([, features = '', , title = '']) => ({
    features: [...features.matchAll(/'([^']+)'/g)].map(([, name = '']) => name),
    title,
  }))
}

/** The client that each file tests, with the features that its tests show. */
const files = readdirSync(folder).flatMap((name) => {
  const source = readFileSync(join(folder, name), 'utf8')
  const [, client] = /^const shows = showsFor\('([^']+)'\)$/m.exec(source) ?? []
  return client === undefined ? [] : [{ client, shown: shownIn(source) }]
})

/** A client can have several files. */
const tested = [...Map.groupBy(files, ({ client }) => client)].map(([client, of]) => ({
  client,
  shown: of.flatMap(({ shown }) => shown),
}))

const suite = 'Open Responses'

describe('the page of clients is as `npm run clients` would write it', () => {
  const [clients = [], checks = []] = tables()

  test('with the versions of the packages', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const versions = Object.entries(packageOf).map(([client, name]) => [
      client,
      devDependencies[name],
    ])
    expect(clients.map(([client, version]) => [client, version]).toSorted()).toEqual(
      versions.toSorted(),
    )
  })

  test.each(tested.filter(({ client }) => client !== suite))(
    'with what the tests of $client show',
    ({ client, shown }) => {
      const [, , ...cells] = clients.find(([name]) => name === client) ?? []
      const named = clientFeatures.filter((_, n) => cells[n] === 'Yes')
      const shows = new Set(shown.flatMap(({ features }) => features))
      expect(shows.size).toBeGreaterThan(3)
      expect(new Set(named)).toEqual(shows)
    },
  )

  test('with the checks of Open Responses', () => {
    const { shown = [] } = tested.find(({ client }) => client === suite) ?? {}
    expect(shown.length).toBeGreaterThan(10)
    expect(checks).toEqual(
      shown.map(({ features, title }) => [features.join(', '), title, 'passes']),
    )
  })
})

test('the page of clients is not written without the official document that it refers to', async () => {
  const absent = '/no-such-file'
  // Results would be read, and the page written, only after the check.
  const { code, errors } = await runProgram('../tools/write-clients.ts', [absent], {
    environment: { OPEN_RESPONSES_DOCUMENT: absent },
  })
  expect(code).toBe(1)
  expect(errors).toContain('docs/clients.md is not written')
})
