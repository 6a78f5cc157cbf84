import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { registerHooks } from 'node:module'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { withoutDevelopment } from '../../../tools/release/sbom.ts'
import { ReleaseCopy } from './release-copy.ts'

const root = join(import.meta.dirname, '../../..')

describe('npm run release', () => {
  test('sets every version, moves the changelog, and describes contracts and migrations', async () => {
    const copy = await ReleaseCopy.create()
    await copy.write('server/migrations/9001-more.sql', 'select 1;')
    await copy.write('server/migrations/9001-more.postgres.sql', 'select 1;')
    await copy.changeTools((tools) => [...tools, { name: 'new_tool', inputSchema: {} }])
    const { code, stdout, stderr } = await copy.release('7.0.0')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('Migrations: `9001-more`. The version before runs on the new schema')
    const changelog = await copy.read('CHANGELOG.md')
    const today = new Date().toISOString().slice(0, 10)
    const [, empty = '', section = ''] = changelog.split(/^## /m)
    expect(empty).toBe('Unreleased\n\nChanges that need action when you upgrade are **bold**.\n\n')
    expect(section).toMatch(new RegExp(`^7\\.0\\.0 - ${today}\n`))
    expect(section).toContain('- `contracts/mcp-tools.json`, added: `new_tool`.')
    expect((await copy.release('--check', 'v7.0.0')).code).toBe(0)
    expect((await copy.release('--notes', 'v7.0.0')).stdout.trim()).toBe(
      section.replace(/^.*\n/, '').trim(),
    )
    expect((await copy.release('--check', 'v7.0.1')).stderr).toContain('has version 7.0.0')
    const diff = await copy.git('diff', '--stat=200')
    expect(diff).toMatch(/package-lock\.json +\| +8 \+{4}-{4}\n/)
  })

  test('refuses to remove an operation or a field without a new major version', async () => {
    const copy = await ReleaseCopy.create()
    const rename = (tool: { name: string }) =>
      tool.name === 'list_apps'
        ? JSON.parse(JSON.stringify(tool).replace('"next_cursor":', '"other_cursor":'))
        : tool
    await copy.changeTools((tools) => tools.filter(({ name }) => name !== 'delete_app').map(rename))
    const [major, minor] = (await copy.version()).split('.').map(Number)
    const refused = await copy.release(`${major}.${minor}.99`)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('mcp-tools.json: delete_app\n')
    expect(refused.stderr).toMatch(/mcp-tools\.json: list_apps: field next_cursor/)
    expect(await copy.git('status', '--porcelain')).toBe('')
    expect((await copy.release(`${(major ?? 0) + 1}.0.0`)).stdout).toContain(
      '**removed**: `delete_app`',
    )
  })

  test('warns of a migration that the version before cannot run on', async () => {
    const copy = await ReleaseCopy.create()
    await copy.write('server/migrations/9001-new-keys-breaking.sql', 'select 1;')
    await copy.commit()
    const { stdout } = await copy.release('7.0.0')
    expect(stdout).toMatch(/does not run on the new schema \(`9001-new-keys-breaking`\): stop all/)
  })

  test.each([
    ['a version that is not later', ['0.0.1'], /not later/],
    ['a version that is none', ['next'], /is not a version/],
    ['an unknown base', ['7.0.0', '--since', 'v0.0.9'], /there is no v0\.0\.9: name the released/],
  ])('refuses %s in one line', async (_, args, problem) => {
    const copy = await ReleaseCopy.create()
    const { code, stderr } = await copy.release(...args)
    expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 1, lines: 1 })
    expect(stderr).toMatch(problem)
  })

  test('refuses changes that are not committed, an empty section, and a changed migration', async () => {
    const copy = await ReleaseCopy.create()
    const [migration = ''] = (await copy.git('ls-files', 'server/migrations')).split('\n')
    await copy.write(migration, 'select 2;')
    expect((await copy.release('7.0.0')).stderr).toContain('commit all changes first')
    await copy.commit()
    expect((await copy.release('7.0.0')).stderr).toContain('was released and must not change')
    await copy.git('checkout', '--quiet', 'HEAD~', '--', migration)
    await copy.write(
      'CHANGELOG.md',
      '# Changelog\n\n## Unreleased\n\nText.\n\n## 0.0.1\n\n- One.\n',
    )
    await copy.commit()
    expect((await copy.release('7.0.0')).stderr).toContain('section of CHANGELOG.md is empty')
  })
})

/** It imports JSON without the attribute that Node requires. */
async function workflowParser() {
  const hooks = registerHooks({
    load: (url, context, next) =>
      next(
        url,
        url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context,
      ),
  })
  try {
    return await import('@actions/workflow-parser')
  } finally {
    hooks.deregister()
  }
}

describe.each(['release', 'long'])('the workflow %s', (name) => {
  const file = `.github/workflows/${name}.yml`
  let content: string

  beforeAll(async () => {
    content = await readFile(join(root, file), 'utf8')
  })

  const errorsOf = async (text: string) => {
    const parser = await workflowParser()
    const { context, value } = parser.parseWorkflow(
      { name: file, content: text },
      new parser.NoOperationTraceWriter(),
    )
    if (value !== undefined) await parser.convertWorkflowTemplate(context, value)
    return context.errors.getErrors().map(String)
  }

  test('is valid for GitHub’s own parser, which finds errors', async () => {
    expect(await errorsOf(content)).toEqual([])
    expect(await errorsOf(content.replace('runs-on:', 'runs-at:'))).not.toEqual([])
    const expression = name === 'release' ? 'vars.IMAGE' : "inputs.what == 'soak'"
    expect(await errorsOf(content.replace(expression, `${expression} +`))).not.toEqual([])
  })

  test('runs commands that exist', async () => {
    const scripts = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))).scripts
    const names = [...content.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name)
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect(Object.keys(scripts)).toContain(name)
    for (const [path = ''] of content.matchAll(/(?:tools|deploy|\.ci)\/[\w./-]+/g))
      await readFile(join(root, path), 'utf8').catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'EISDIR')) throw error
      })
  })
})

test('an SBOM lists what the service and the dashboard contain, and no tool of development', () => {
  const part = (name: string, isDevelopment = false) => ({
    'bom-ref': name,
    name,
    properties: isDevelopment ? [{ name: 'cdx:npm:package:development', value: 'true' }] : [],
  })
  const sbom = withoutDevelopment({
    bomFormat: 'CycloneDX',
    metadata: { component: part('folder') },
    components: [part('hono'), part('vitest', true)],
    dependencies: [
      { ref: 'folder', dependsOn: ['hono', 'vitest'] },
      { ref: 'vitest', dependsOn: [] },
    ],
  })
  expect(sbom.metadata.component.name).toBe('parley')
  expect(sbom.components.map(({ name }) => name)).toEqual(['hono'])
  expect(sbom.dependencies).toEqual([{ ref: 'folder', dependsOn: ['hono'] }])
})
