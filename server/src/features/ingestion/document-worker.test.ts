import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import type { WorkerLimits } from '#platform/bounded-workers/bounded-workers.ts'
import { createBoundedWorkers } from '#platform/bounded-workers/create-bounded-workers.ts'
import {
  docxTable,
  makeDocx,
  makePdf,
  makeXlsx,
  makeZip,
} from '#test/support/knowledge/sample-documents.ts'
import type { DocumentAnswer, DocumentTask } from './document-worker.ts'

const module = new URL('./document-worker.ts', import.meta.url)
const limits: WorkerLimits = {
  heapMegabytes: 128,
  residentMegabytes: 400,
  silenceMs: 10_000,
  totalMs: 60_000,
}
const workers = createBoundedWorkers({ dataDir: './data' })
const worker = workers.open(module, limits)
afterAll(() => worker.close())

const never = new AbortController().signal

async function read(
  format: DocumentTask['format'],
  content: string | Buffer,
  task: Partial<DocumentTask> = {},
  by = worker,
) {
  const hints = { charset: null, url: null, title: null, fallbackTitle: 'file', ...task }
  const answers: DocumentAnswer[] = []
  for await (const answer of by.run({ format, ...hints }, [Buffer.from(content)], never))
    answers.push(answer as DocumentAnswer) // what document-worker.ts yields
  const [head] = answers.filter((answer) => 'title' in answer)
  const chunks = answers.flatMap((answer) => ('chunks' in answer ? answer.chunks : []))
  return { head, chunks, text: chunks.map(({ text }) => text).join('\n\n') }
}

describe('a document is read as chunks', () => {
  test('of Markdown, with their headings', async () => {
    const { head, chunks } = await read('text', '# Returns\n\nWithin 30 days.')
    expect(head).toMatchObject({ title: 'file', pageCount: null, web: null })
    expect(chunks).toMatchObject([
      { ordinal: 0, heading: 'Returns', text: 'Within 30 days.', page: null },
    ])
  })

  test('of a text that is not UTF-8', async () => {
    const { text } = await read('text', Buffer.from('caf\xe9 cr\xe8me', 'latin1'))
    expect(text).toBe('café crème')
  })

  test('of PDF, with pages and headings', async () => {
    const pdf = makePdf(['# Guarantee\nTwo years on all parts', '# Returns\nWithin thirty days'])
    const { head, chunks } = await read('pdf', pdf)
    expect(head).toMatchObject({ pageCount: 2 })
    expect(chunks).toMatchObject([
      { ordinal: 0, page: 1, heading: 'Guarantee', text: 'Two years on all parts' },
      { ordinal: 1, page: 2, heading: 'Returns', text: 'Within thirty days' },
    ])
  })

  test('of Word, with its headings and tables', async () => {
    const table = docxTable([
      ['City', 'Price'],
      ['Oslo', '12'],
    ])
    const { chunks } = await read('word', makeDocx(['# Shipping', 'It is fast & cheap.'], table))
    expect(chunks[0]).toMatchObject({ heading: 'Shipping' })
    expect(chunks[0]?.text).toContain('It is fast & cheap.')
    expect(chunks[0]?.text).toContain('| City | Price |\n| --- | --- |\n| Oslo | 12 |')
  })

  test('of Excel, each sheet a table', async () => {
    const rows = [
      ['City', 'Price'],
      ['Oslo', 12],
    ]
    const { chunks } = await read('excel', makeXlsx('Rates', rows))
    expect(chunks).toMatchObject([
      { heading: 'Rates', text: '| City | Price |\n| --- | --- |\n| Oslo | 12 |' },
    ])
  })

  test.each([
    [',', 'City,Note\nOslo,"wet, cold"'],
    [';', 'City;Note\nOslo;wet, cold'],
    ['tab', 'City\tNote\nOslo\twet, cold'],
  ])('of values separated by %s', async (_, csv) => {
    const { chunks } = await read('csv', csv)
    expect(chunks).toMatchObject([{ text: '| City | Note |\n| --- | --- |\n| Oslo | wet, cold |' }])
  })

  test('of a long table, each with its head', async () => {
    const rows = Array.from({ length: 2000 }, (_, n) => `item ${n},a thing of number ${n}`)
    const { chunks } = await read('csv', `Name,About\n${rows.join('\n')}`)
    expect(chunks.length).toBeGreaterThan(10)
    for (const { text } of chunks) expect(text.startsWith('| Name | About |\n| --- |')).toBe(true)
    const items = chunks.flatMap(({ text }) => text.match(/item \d+/g) ?? [])
    expect(items).toEqual(rows.map((row) => row.split(',')[0]))
  })

  test.each([199, 200, 201, 400])(
    'of a table of %i rows, none of its head alone',
    async (count) => {
      const rows = Array.from({ length: count }, (_, n) => [`item ${n}`, `thing ${n}`])
      const markdown = [
        '| Name | About |',
        '| --- | --- |',
        ...rows.map((r) => `| ${r.join(' | ')} |`),
      ]
      const cells = rows.map((row) => `<tr><td>${row.join('<td>')}`).join('')
      const files = [
        ['csv', ['Name,About', ...rows.map((row) => row.join(','))].join('\n')],
        ['excel', makeXlsx('Sheet', [['Name', 'About'], ...rows])],
        ['text', markdown.join('\n')],
        ['html', `<main><table><tr><th>Name<th>About${cells}</table></main>`],
      ] as const
      for (const [format, content] of files) {
        const { chunks } = await read(format, content)
        for (const { text } of chunks) expect(text, format).toContain('item')
        const items = chunks.flatMap(({ text }) => text.match(/item \d+/g) ?? [])
        expect(items, format).toEqual(rows.map(([name]) => name))
      }
    },
  )

  test('of a table with only a head', async () => {
    const { chunks } = await read('csv', 'Name,About\n')
    expect(chunks).toMatchObject([{ text: '| Name | About |\n| --- | --- |' }])
  })

  test('of HTML, only from its main part', async () => {
    const html = `<title>Rates &amp; more</title><link rel=canonical href="/rates">
      <nav>Menu</nav><main><h2>Prices</h2><p>One <b>euro</b>.<p>Two.
      <ul><li>First<li><p>Second</p></ul><pre>a  b</pre><script>bad()</script>
      <table><tr><th>A<th>B<tr><td>1<td>2</table>
      <a href="b?x=1#y">Next</a> <a href="mailto:x@example.com">Mail</a></main><footer>Foot</footer>`
    const { head, chunks } = await read('html', html, { url: 'https://example.com/a/' })
    expect(head).toMatchObject({
      title: 'Rates & more',
      web: {
        canonical: 'https://example.com/rates',
        links: ['https://example.com/a/b?x=1'],
        mayIndex: true,
      },
    })
    expect(chunks).toHaveLength(1)
    expect(chunks[0]).toMatchObject({ heading: 'Prices' })
    expect(chunks[0]?.text).toBe(
      'One euro.\n\nTwo.\n\n- First\n- Second\n\n```\na  b\n```\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\nNext Mail',
    )
  })

  test('of a sitemap, as its addresses', async () => {
    const xml = '<urlset><url><loc>https://a.example/1?x&amp;y</loc></url></urlset>'
    const { head, chunks } = await read('sitemap', xml)
    expect(head).toMatchObject({ web: { links: ['https://a.example/1?x&y'] } })
    expect(chunks).toEqual([])
  })
})

describe('a malformed document', () => {
  const damaged = { code: 'document_damaged' }

  test.each([
    ['pdf', 'this is no PDF'],
    ['pdf', makePdf(['one']).subarray(0, 60)],
    ['word', 'no archive'],
    ['word', makeZip({ 'a.txt': 'no document' })],
    ['excel', makeZip({ 'a.txt': 'no workbook' })],
    ['csv', `a,"${'never closed '.repeat(100_000)}`],
  ] as const)('is damaged: %s %#', async (format, content) => {
    await expect(read(format, content)).rejects.toMatchObject(damaged)
  })

  test('is locked if it has an Office password', async () => {
    const compound = Buffer.from('d0cf11e0a1b11ae1', 'hex')
    await expect(read('word', compound)).rejects.toMatchObject({ code: 'document_locked' })
  })

  test('is refused when it unpacks to too much, whatever size it claims', async () => {
    const zeros = Buffer.alloc(150 * 1024 * 1024)
    const honest = makeZip({ 'word/document.xml': zeros })
    const lying = makeZip({ 'word/document.xml': zeros }, 1000)
    expect(honest.length).toBeLessThan(200_000)
    const tooLarge = { code: 'document_unpacks_too_large', facts: { limit_megabytes: 128 } }
    await expect(read('word', honest)).rejects.toMatchObject(tooLarge)
    await expect(read('excel', honest)).rejects.toMatchObject(tooLarge)
    await expect(read('word', lying)).rejects.toMatchObject(damaged)
  })

  test('does not affect other documents', async () => {
    await expect(read('pdf', 'bad')).rejects.toMatchObject(damaged)
    expect((await read('text', 'good')).text).toBe('good')
  })

  test('nested a hundred thousand deep is read or refused, in time', async () => {
    const deep = `${'<div>'.repeat(100_000)}end`
    const { text } = await read('html', deep)
    expect(text).toBe('end')
  })
})

describe('a worker', () => {
  test('that exceeds its memory is ended, and the next task gets a new one', async () => {
    const small = workers.open(module, { ...limits, heapMegabytes: 40, residentMegabytes: 120 })
    const wide = '<b>x</b>'.repeat(2_000_000)
    await expect(read('html', wide, {}, small)).rejects.toMatchObject({
      code: 'worker_out_of_memory',
    })
    expect((await read('text', 'still there', {}, small)).text).toBe('still there')
    small.close()
  })

  test('that is silent for too long is ended', async () => {
    const impatient = workers.open(module, { ...limits, silenceMs: 1 })
    await expect(read('text', 'slow', {}, impatient)).rejects.toMatchObject({
      code: 'worker_out_of_time',
    })
  })

  test('whose task is aborted ends at once with the reason', async () => {
    const controller = new AbortController()
    const own = workers.open(module, limits)
    const rows = 'a,b\n'.repeat(1_000_000)
    const reading = async () => {
      const task = { format: 'csv', charset: null, url: null, title: 'T', fallbackTitle: 'T' }
      for await (const _ of own.run(task, [Buffer.from(rows)], controller.signal))
        controller.abort(new Error('no longer needed'))
    }
    await expect(reading()).rejects.toThrow('no longer needed')
  })

  test('whose bytes cannot be read fails for that reason', async () => {
    const own = workers.open(module, limits)
    async function* broken() {
      yield Buffer.from('a,b\n')
      throw new Error('the disk is gone')
    }
    const task = { format: 'csv', charset: null, url: null, title: 'T', fallbackTitle: 'T' }
    const reading = async () => {
      for await (const _ of own.run(task, broken(), never));
    }
    await expect(reading()).rejects.toThrow('the disk is gone')
  })
})

test('the worker process of a document loads no database module', async () => {
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({
      load(url, context, next) {
        loaded.push(url)
        return next(url, context)
      },
    })
    await import(${JSON.stringify(new URL('document-worker.ts', import.meta.url).href)})
    console.log(JSON.stringify(loaded))`
  const args = ['--no-warnings', '--input-type=module', '--eval', script]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const loaded: string[] = JSON.parse(stdout)
  expect(loaded.some((url) => url.includes('/zod/'))).toBe(true)
  expect(loaded.filter((url) => /\/kysely\/|-store\.ts$/.test(url))).toEqual([])
})
