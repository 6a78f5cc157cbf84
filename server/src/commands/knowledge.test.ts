import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  cleansUp,
  emptyFolder,
  parley,
  startParley,
} from '#test/support/processes/parley-process.ts'
import { makeDocx } from '#test/support/knowledge/sample-documents.ts'
import { createProgressBar } from './progress-bar.ts'

cleansUp()

async function newAgent(environment: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await parley(['call', 'create_app', '{"name":"Helpdesk"}'], environment)
  return String(JSON.parse(stdout).app_name_id)
}

async function search(
  app_id: string,
  query: string,
  environment: Readonly<Record<string, string>>,
) {
  const input = JSON.stringify({ app_id, query })
  const { stdout } = await parley(['call', 'search_knowledge', input], environment)
  return JSON.parse(stdout).items
}

describe('parley knowledge add', () => {
  test('adds files without a service, reports each, and fails if one fails', async () => {
    const folder = await emptyFolder()
    const environment = { DATA_DIR: join(folder, 'data'), DEMO: 'false' }
    const app = await newAgent(environment)
    const [good, bad] = [join(folder, 'guide.docx'), join(folder, 'bad.pdf')]
    await writeFile(good, makeDocx(['# Returns', 'The walrus comes back.']))
    await writeFile(bad, 'no pdf')
    const { code, stdout, stderr } = await parley(
      ['knowledge', 'add', good, bad, '--app', app],
      environment,
    )
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toMatchObject([
      { file: good, status: 'ready', chunk_count: 1 },
      { file: bad, status: 'failed', error: { code: 'document_damaged' } },
    ])
    expect([code, stderr]).toEqual([1, ''])
    expect(await search(app, 'walrus', environment)).toMatchObject([{ title: 'guide.docx' }])
    const again = await parley(['knowledge', 'add', good, '--app', app], environment)
    expect(JSON.parse(again.stdout).source_id).toBe(lines[0].source_id)
    expect(again.code).toBe(0)
  })

  test('works next to a running service', async () => {
    const folder = await emptyFolder()
    const environment = { DATA_DIR: join(folder, 'data'), DEMO: 'false' }
    const service = await startParley(environment)
    const app = await newAgent(environment)
    const file = join(folder, 'notes.md')
    await writeFile(file, 'The narwhal dives.')
    const { code } = await parley(['knowledge', 'add', file, '--app', app], environment)
    expect(code).toBe(0)
    expect(await search(app, 'narwhal', environment)).toHaveLength(1)
    service.signal('SIGTERM')
    await service.finished
  })

  test('stores nothing if a file or the agent does not exist', async () => {
    const folder = await emptyFolder()
    const environment = { DATA_DIR: join(folder, 'data'), DEMO: 'false' }
    const file = join(folder, 'notes.md')
    await writeFile(file, 'text')
    const missing = await parley(['knowledge', 'add', file, 'none.md', '--app', 'x'], environment)
    expect(missing).toMatchObject({ code: 1, stdout: '' })
    expect(missing.stderr).toContain('none.md cannot be read')
    const stranger = await parley(['knowledge', 'add', file, '--app', 'nobody-1'], environment)
    expect(stranger).toMatchObject({ code: 1, stdout: '' })
    expect((await parley(['knowledge', 'add', file], environment)).code).toBe(2)
  })

  // A file that cannot be read.
  test.skipIf(process.platform !== 'linux')('reports which file cannot be read', async () => {
    const folder = await emptyFolder()
    const environment = { DATA_DIR: join(folder, 'data'), DEMO: 'false' }
    const app = await newAgent(environment)
    const file = join(folder, 'notes.md')
    await symlink('/proc/self/mem', file)
    expect(await parley(['knowledge', 'add', file, '--app', app], environment)).toEqual({
      code: 1,
      stdout: '',
      stderr: `parley: ${file} cannot be read\n`,
    })
  })
})

describe('a progress bar', () => {
  function written(isTTY: boolean): string[] {
    const texts: string[] = []
    const output = { isTTY, write: (text: string) => texts.push(text) }
    const bar = createProgressBar(output, 'guide.pdf')
    bar.show('reading', 0.5)
    bar.clear()
    return texts
  }

  test('is redrawn in place on a terminal', () => {
    expect(written(true).join('')).toContain(
      `guide.pdf ${'█'.repeat(15)}${'░'.repeat(15)} 50 % reading`,
    )
  })

  test('writes nothing unless the output is a terminal', () => {
    expect(written(false)).toEqual([])
  })
})
