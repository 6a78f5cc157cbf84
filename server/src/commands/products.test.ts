import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cleansUp, emptyFolder, parley } from '#test/support/processes/parley-process.ts'

cleansUp()

const teas = 'sku,name,price_amount,categories\na,Assam,900,Tea|Black\nb,Bancha,700,Tea\n'

describe('parley products import', () => {
  test('creates and changes products from a file, all lines or none', async () => {
    const folder = await emptyFolder()
    const environment = { DATA_DIR: join(folder, 'data'), DEMO: 'false' }
    const call = async (operation: string, input: object) => {
      const { stdout } = await parley(['call', operation, JSON.stringify(input)], environment)
      return JSON.parse(stdout)
    }
    const { id: app_id, app_name_id: app } = await call('create_app', { name: 'Tea shop' })
    const file = join(folder, 'teas.csv')
    await writeFile(file, `\uFEFF${teas}`)
    const made = await parley(['products', 'import', file, '--app', app], environment)
    expect([made.code, JSON.parse(made.stdout)]).toEqual([
      0,
      { created: 2, updated: 0, rejected: 0 },
    ])
    const piped = await parley(['products', 'import', '-', '--app', app], environment, teas)
    expect(JSON.parse(piped.stdout)).toEqual({ created: 0, updated: 2, rejected: 0 })

    await writeFile(file, `${teas}c,Ceylon,much,Tea\n`)
    const wrong = await parley(['products', 'import', file, '--app', app], environment)
    expect([wrong.code, wrong.stdout]).toEqual([1, ''])
    expect(wrong.stderr).toContain('line 4: price_amount: must be a whole number')
    const left = join(folder, 'left.csv')
    const partly = await parley(
      ['products', 'import', file, '--app', app, '--rejected', left],
      environment,
    )
    expect(JSON.parse(partly.stdout)).toEqual({ created: 0, updated: 2, rejected: 1 })
    expect(await readFile(left, 'utf8')).toContain('c,Ceylon,much,Tea,price_amount: must be')
    const { items } = await call('list_products', { app_id })
    expect(items).toHaveLength(2)
    expect(items).toContainEqual(
      expect.objectContaining({ sku: 'a', price_amount: 900, categories: ['Tea', 'Black'] }),
    )
  })

  test('explains missing arguments, an unreadable file and an unknown agent', async () => {
    const folder = await emptyFolder()
    const environment = { DATA_DIR: join(folder, 'data'), DEMO: 'false' }
    const usage = await parley(['products', 'import', 'x.csv'], environment)
    expect([usage.code, usage.stderr]).toEqual([
      2,
      'parley: usage is `parley products import FILE --app APP [--rejected FILE] [--as EMAIL]`\n',
    ])
    const none = await parley(['products', 'import', 'x.csv', '--app', 'a-1'], environment)
    expect([none.code, none.stderr]).toEqual([1, 'parley: x.csv cannot be read\n'])
    const stranger = await parley(['products', 'import', '-', '--app', 'a-1'], environment, teas)
    expect(stranger.code).toBe(1)
    expect(stranger.stderr).toMatch(/^parley: There is no such record/)
  })
})
