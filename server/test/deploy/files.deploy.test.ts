import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { installPrograms } from '#test/support/processes/install-packages.ts'
import { absenceOf, compose, root, run } from './tools.ts'

const folder = join(root, 'deploy')

/** systemd rates 0 (confined) to 10 (exposed). */
const mostExposure = 1.5

describe.skipIf(absenceOf(['systemd-analyze']) !== null)('the systemd unit', () => {
  test('is valid', async () => {
    const unit = await readFile(join(folder, 'systemd/parley.service'), 'utf8')
    const copy = join(await scratch(), 'parley.service')
    // The program is not installed here.
    await writeFile(
      copy,
      unit.replace('ExecStart=/opt/parley/bin/parley start', 'ExecStart=/bin/true'),
    )
    await run('systemd-analyze', ['verify', copy])
  })

  // Without it, every worker that reads a file or checks a password ends at once.
  test('lets workers lower their own priority', async () => {
    const unit = await readFile(join(folder, 'systemd/parley.service'), 'utf8')
    expect(unit).toMatch(/^SystemCallFilter=~.*\n(?:#.*\n)*SystemCallFilter=setpriority$/m)
  })

  test('confines the service', async () => {
    const report = await run('systemd-analyze', [
      'security',
      '--offline=true',
      join(folder, 'systemd/parley.service'),
    ])
    const exposure = Number(/exposure level for parley\.service: ([\d.]+)/.exec(report)?.[1])
    expect(exposure).toBeLessThanOrEqual(mostExposure)
  })
})

describe.skipIf(absenceOf(['caddy']) !== null)('the Caddyfile', () => {
  test('is valid', async () => {
    const home = await scratch()
    await run(
      'caddy',
      ['validate', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')],
      { DOMAIN: 'agents.example.com', HOME: home },
    )
  })
})

describe.skipIf(absenceOf(['shellcheck']) !== null)('the scripts', () => {
  test('have no finding of shellcheck', async () => {
    const names = await run('git', [
      'ls-files',
      'deploy/*.sh',
      'server/test/deploy/*.sh',
      'tools/*.sh',
      '.ci',
    ])
    const scripts = names.trim().split('\n')
    expect(scripts.length).toBeGreaterThan(7)
    expect(await run('shellcheck', scripts)).toBe('')
  })
})

describe.skipIf(absenceOf(['promtool']) !== null)('promtool', () => {
  const groups = z.object({ groups: z.array(z.object({ rules: z.array(z.unknown()) })) })
  const dashboard = z.object({
    panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })),
  })

  test('accepts the alerts', async () => {
    const file = join(folder, 'monitoring/alerts.yaml')
    const rules = groups
      .parse(parse(await readFile(file, 'utf8')))
      .groups.flatMap((group) => group.rules)
    const report = await run('promtool', ['check', 'rules', file])
    expect(report).toContain(`SUCCESS: ${rules.length} rules found`)
  })

  test('accepts the queries of the dashboard', async () => {
    const file = join(folder, 'monitoring/grafana-dashboard.json')
    const { panels } = dashboard.parse(JSON.parse(await readFile(file, 'utf8')))
    const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    const rules = queries.map((query, n) => ({
      record: `query:${n}`,
      // Grafana replaces its variables before Prometheus sees them.
      expr: query.replaceAll('$__rate_interval', '5m'),
    }))
    const copy = join(await scratch(), 'queries.json')
    await writeFile(copy, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    const report = await run('promtool', ['check', 'rules', copy])
    expect(report).toContain(`SUCCESS: ${queries.length} rules found`)
  })
})

describe('the Dockerfile', () => {
  const lint = async (file: string) => {
    const program = join(await installPrograms(), 'dockerfile-utils/bin/dockerfile-utils')
    return await run(process.execPath, [program, 'lint', file])
  }

  test('has no finding of dockerfile-utils', async () => {
    expect(await lint(join(folder, 'Dockerfile'))).toBe('')
    const wrong = join(await scratch(), 'Dockerfile')
    await writeFile(wrong, 'FROM debian\nEXPOSE many\n')
    await expect(lint(wrong)).rejects.toMatchObject({ code: 1 })
  })
})

describe.skipIf(absenceOf([compose]) !== null)('compose.yaml in the eyes of Compose 2', () => {
  const complete = 'DOMAIN=agents.example.com\nSECRET_KEY=5\nPOSTGRES_PASSWORD=6\n'
  const check = async (settings: string, change = (text: string) => text) => {
    const copy = await scratch()
    await writeFile(join(copy, '.env'), settings)
    const text = await readFile(join(folder, 'compose.yaml'), 'utf8')
    await writeFile(join(copy, 'compose.yaml'), change(text))
    return await run(compose, [
      `--project-directory=${copy}`,
      `--file=${copy}/compose.yaml`,
      'config',
    ])
  }

  test('is valid', async () => {
    expect(await check(complete)).toContain('BASE_URL: https://agents.example.com')
  })

  test('is checked for names that Compose does not know', async () => {
    const misspelled = check(complete, (text) => text.replace('cap_drop', 'cap_drops'))
    await expect(misspelled).rejects.toThrow('Additional property cap_drops is not allowed')
  })

  test.each(['DOMAIN', 'SECRET_KEY', 'POSTGRES_PASSWORD'])('asks for %s', async (name) => {
    const settings = complete.replace(new RegExp(`^${name}=.*$`, 'm'), '')
    await expect(check(settings)).rejects.toThrow(`Set ${name} in deploy/.env`)
  })
})

describe('the secrets of compose.yaml', () => {
  test('are neither committed nor sent to a build', async () => {
    expect(await run('git', ['check-ignore', '--no-index', 'deploy/.env'])).toBe('deploy/.env\n')
    const lines = (await readFile(join(root, '.dockerignore'), 'utf8')).trim().split('\n')
    // The last matching line counts.
    expect(lines.at(-1)).toBe('**/.env*')
  })
})

describe('compose.yaml', () => {
  const settings = z.record(z.string(), z.unknown())
  const form = z.object({
    services: z.record(
      z.string(),
      z.object({ environment: settings.optional(), volumes: z.array(z.string()).optional() }),
    ),
    volumes: settings,
  })

  test('mounts only volumes that it declares and files that exist', async () => {
    const { services, volumes } = form.parse(await compose())
    const sources = Object.values(services).flatMap((service) =>
      (service.volumes ?? []).map((volume) => volume.split(':', 1)[0] ?? ''),
    )
    const files = await readdir(folder)
    for (const source of sources)
      expect([...Object.keys(volumes), ...files.map((name) => `./${name}`)]).toContain(source)
  })

  test('sets only variables that Parley knows', async () => {
    const { services } = form.parse(await compose())
    const reference = await readFile(join(root, 'docs/configuration.md'), 'utf8')
    const example = await readFile(join(folder, 'example.env'), 'utf8')
    const ownOfCompose = ['DOMAIN', 'POSTGRES_PASSWORD', 'BACKUP_KEEP_DAYS']
    const names = [
      ...Object.keys(services['parley-1']?.environment ?? {}),
      ...[...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name = '']) => name),
    ].filter((name) => !ownOfCompose.includes(name))
    expect(names.length).toBeGreaterThan(4)
    for (const name of names) expect(reference).toContain(`\`${name}\``)
  })

  async function compose(): Promise<unknown> {
    return parse(await readFile(join(folder, 'compose.yaml'), 'utf8'))
  }
})

async function scratch(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'parley-deploy-'))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}
