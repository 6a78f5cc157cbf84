import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { importProducts, listProducts, previewImport, updateCommerceSettings } from './index.ts'

describeInstance('a CSV file of another shop', (open) => {
  let instance: TestInstance
  let ada: Person
  let appId: string

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  beforeEach(async () => {
    appId = (await createAgent(instance.ctx, ada, { name: 'Shop' })).id
    await updateCommerceSettings(instance.ctx, ada.workspaceId, appId, { currency: 'eur' })
  })

  const load = (csv: string, more: object = {}) =>
    importProducts(instance.ctx, ada.workspaceId, { appId, csv, ...more })

  async function stored() {
    const { items } = await listProducts(instance.ctx, ada.workspaceId, appId, { limit: 100 })
    return items
      .map(({ sku, name, priceMinor, currency }) => [sku, name, priceMinor, currency])
      .toSorted()
  }

  test('is imported with the columns that its owner names; the others are ignored', async () => {
    const csv =
      'Artikel;x,Nr,Preis,Memo\nTee,A,"1.299,00 €",none\nTasse,B,19.90 USD,none\nLöffel,C,2,'
    const columns = { 'Artikel;x': 'name', Nr: 'sku', Preis: 'price' }
    expect(await load(csv, { columns })).toMatchObject({ created: 3, updated: 0, rejected: 0 })
    expect(await stored()).toEqual([
      ['A', 'Tee', 129_900, 'eur'],
      ['B', 'Tasse', 1990, 'usd'],
      ['C', 'Löffel', 200, 'eur'],
    ])
    await expect(load(csv)).rejects.toMatchObject({
      code: 'csv_invalid',
      facts: { lines: ['line 1: no such column: artikel;x, nr, preis, memo'] },
    })
    await expect(load(csv, { columns: { ...columns, Memo: 'name' } })).rejects.toMatchObject({
      facts: { lines: ['line 1: two columns are name'] },
    })
    const unknown = load(csv, { columns: { ...columns, nr: 'stock', Name: 'name' } })
    await expect(unknown).rejects.toMatchObject({
      facts: { lines: ['line 1: no column is named nr', 'line 1: no column is named Name'] },
    })
  })

  test.each(['read', 'previewed'])(
    'of more than 5,000 lines is refused while it is %s',
    async (way) => {
      const lines = (count: number) =>
        `sku,name,price\n${Array.from({ length: count }, (_, n) => `S${n},P,`).join('\n')}`
      const reading = (csv: string) =>
        way === 'read' ? load(csv) : previewImport(instance.ctx, ada.workspaceId, { appId, csv })
      const beyond = 'there are more than 5000 products; import them in parts'
      // The lines beyond the limit are not read: this one does not end.
      await expect(reading(`${lines(5001)}\n"open`)).rejects.toMatchObject({
        code: 'csv_invalid',
        facts: { lines: [beyond] },
      })
      expect(await stored()).toEqual([])
    },
  )

  const mixed = [
    'sku,name,price,currency,stock',
    'A,Tea,3.50,,',
    'B,"Cup, ""blue""",1.299,,',
    'C,,4,,',
    'D,Pot,5 USD,EUR,many',
    'E,Lid,5 USD,EUR,',
    'F,=Spoon,€ 1,,7',
  ].join('\n')

  test('is imported in part on request; the other lines are returned and can be corrected', async () => {
    await expect(load(mixed)).rejects.toMatchObject({ code: 'csv_invalid' })
    expect(await stored()).toEqual([])
    const { rejectedCsv, ...counts } = await load(mixed, { partial: true })
    expect(counts).toEqual({ created: 2, updated: 0, rejected: 4 })
    expect(await stored()).toEqual([
      ['A', 'Tea', 350, 'eur'],
      ['F', '=Spoon', 100, 'eur'],
    ])
    expect(rejectedCsv?.split('\r\n')).toEqual([
      'sku,name,price,currency,stock,import_problem',
      'B,"Cup, ""blue""",1.299,,,"price: ""1.299"" can be read in two ways; write all decimals, such as 1299.00"',
      'C,,4,,,a new product needs name',
      'D,Pot,5 USD,EUR,many,stock: must be a whole number',
      'E,Lid,5 USD,EUR,,"price: ""5 USD"" is not in EUR, the currency of the line"',
      '',
    ])
    const corrected = (rejectedCsv ?? '')
      .replace('1.299,', '"1.299,00",')
      .replace('C,,', 'C,Bowl,')
      .replaceAll('5 USD,EUR', '5 USD,')
      .replace('many', '3')
    expect(await load(corrected, { partial: true })).toEqual({
      created: 4,
      updated: 0,
      rejected: 0,
      rejectedCsv: null,
    })
    expect(await stored()).toContainEqual(['B', 'Cup, "blue"', 129_900, 'eur'])
  })

  test('keeps every cell of a line that has too many, so that only a correction imports it', async () => {
    const problem = 'there are more cells than columns; a cell with a comma is quoted'
    const { rejectedCsv } = await load('sku,price,name\nA,4,Mug, large,"""blue"""', {
      partial: true,
    })
    expect(rejectedCsv?.split('\r\n')).toEqual([
      'sku,price,name,import_problem',
      `A,4,Mug,${problem},large,"""blue"""`,
      '',
    ])
    const again = await load(rejectedCsv ?? '', { partial: true })
    expect(again).toEqual({ created: 0, updated: 0, rejected: 1, rejectedCsv })
    const corrected = 'sku,price,name,import_problem\nA,4,"Mug, large, blue",,,'
    expect(await load(corrected)).toMatchObject({ created: 1, rejected: 0 })
    expect(await stored()).toEqual([['A', 'Mug, large, blue', 400, 'eur']])
  })

  test.each([
    [
      'ID,Type,SKU,Name,Published,Regular price,Categories',
      '1,simple,A,Tea,1,3.50,Drinks',
      [null, null, 'sku', 'name', 'active', 'price', 'categories'],
    ],
    [
      'Title,Name,Variant SKU,SKU,Variant Price,Type,Category',
      'Teas,Tea,A-1,A,3.50,simple,Drinks',
      [null, 'name', null, 'sku', 'price', null, 'categories'],
    ],
    [
      'Name,Name,Title,SKU,Price,Categories',
      'One,Two,Tea,A,3.50,Drinks',
      [null, null, 'name', 'sku', 'price', 'categories'],
    ],
  ])('with several columns for a field is previewed: %s', async (header, line, fields) => {
    const csv = `${header}\n${line}`
    const preview = await previewImport(instance.ctx, ada.workspaceId, { appId, csv })
    expect(preview.columns.map(({ field }) => field)).toEqual(fields)
    expect(preview).toMatchObject({ created: 1, rejected: 0 })
    const product = { sku: 'A', name: 'Tea', price_amount: 350, categories: ['Drinks'] }
    expect(preview.products).toMatchObject([product])
  })

  test('is previewed with the probable fields of its columns, and nothing is stored', async () => {
    const csv = 'Variant SKU,Title,Variant Price,Vendor\nA,Tea,3.50,Me\nB,,4,Me\nC,Cup,free,Me'
    const preview = await previewImport(instance.ctx, ada.workspaceId, { appId, csv })
    expect(preview).toEqual({
      columns: [
        { header: 'Variant SKU', field: 'sku', example: 'A' },
        { header: 'Title', field: 'name', example: 'Tea' },
        { header: 'Variant Price', field: 'price', example: '3.50' },
        { header: 'Vendor', field: null, example: 'Me' },
      ],
      created: 1,
      updated: 0,
      rejected: 2,
      products: [{ sku: 'A', name: 'Tea', price_amount: 350, currency: 'eur' }],
      problems: [
        'line 3: a new product needs name',
        'line 4: price: "free" is not a price such as 19.90 EUR',
      ],
    })
    expect(await stored()).toEqual([])
    const columns = { Title: 'sku', 'Variant SKU': 'name', 'Variant Price': 'price' } as const
    const other = await previewImport(instance.ctx, ada.workspaceId, { appId, csv, columns })
    expect(other.products).toMatchObject([{ sku: 'Tea', name: 'A' }, { name: 'B' }])
  })
})
