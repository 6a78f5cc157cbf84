import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Traffic, type Caller } from '#test/faults/chat-traffic.ts'
import { until } from '#test/support/until.ts'
import { ComposeProject } from './compose-project.ts'
import { Docker } from './docker.ts'
import { ImageStore } from './image.ts'
import { absenceOf, compose } from './tools.ts'

const programs = ['buildah', 'podman', 'debootstrap', 'dockerd', compose]
/** The first address of the network in compose.yaml. */
const gateway = '10.77.0.1'
/** Four images, of which three download packages. */
const buildingMs = 1_800_000
const authority = '/data/caddy/pki/authorities/local/root.crt'

/**
 * Runs deploy/compose.yaml with Docker. What differs from a machine of an operator: the images of
 * PostgreSQL and Caddy are built from Debian's packages (stand-ins/), Parley's image is built
 * beforehand, the ports are others, and `localhost` has a certificate of Caddy's own authority.
 */
describe.skipIf(absenceOf(programs) !== null)('compose.yaml', () => {
  const undo: (() => Promise<void>)[] = []
  let project: ComposeProject
  let caller: Caller
  let answer: string
  let seconds: number

  beforeAll(async () => {
    const docker = await Docker.start(gateway)
    undo.unshift(() => docker.stop())
    const store = await ImageStore.create()
    undo.unshift(() => store.remove())
    await store.createBases()
    await store.createBase('trixie', 'newer-base')
    await store.build()
    await store.buildStandIn('postgres', 'newer-base')
    await store.buildStandIn('caddy', 'parley-base')
    for (const [name, reference] of [
      ['parley', 'parley:latest'],
      ['postgres', 'pgvector/pgvector:pg17'],
      ['caddy', 'caddy:2'],
    ] as const)
      await docker.run('load', '--input', await store.save(name, reference))
    project = await ComposeProject.create(docker, {
      DOMAIN: 'localhost',
      SECRET_KEY: '5'.repeat(64),
      POSTGRES_PASSWORD: '6'.repeat(64),
    })
    undo.unshift(() => project.remove())
    const since = performance.now()
    await project.compose('up', '--detach', '--wait')
    caller = await firstCaller(project)
    await trustCaddy(project)
    answer = await ask(project, caller)
    seconds = (performance.now() - since) / 1000
  }, buildingMs)

  afterAll(async () => {
    for (const step of undo) await step()
  })

  test('answers a first question through Caddy with TLS after `up`', () => {
    process.stdout.write(`compose: first answer ${seconds.toFixed(1)} s after up\n`)
    expect(answer).toContain('chatSessionId')
    // Only a bound: a busy machine took a minute.
    expect(seconds).toBeLessThan(300)
  })

  test('becomes healthy, backs up the database, and logs no error', async () => {
    await project.compose('up', '--detach', '--wait')
    await until('there is a backup', async () => {
      const files = await project.compose('exec', '-T', 'backup', 'ls', '/backups')
      return /^parley-\w+\.dump$/m.test(files)
    })
    const log = await project.compose('logs', 'parley-1', 'parley-2')
    expect(log).not.toContain('"level":"error"')
    expect(await (await fetch(`${project.origin}/login`)).text()).toContain('Sign in')
  })

  test('shows what an upgrade would migrate, beside the running replicas', async () => {
    const run = ['run', '--rm', '--no-deps', '-T', 'parley-1']
    expect(await project.compose(...run, 'migrate', '--plan')).toContain('nothing is pending')
  })

  test('replaces one replica after the other without a failed request', async () => {
    const traffic = new Traffic(project.origin, caller, 4)
    await traffic.untilMore(20)
    for (const replica of ['parley-1', 'parley-2']) {
      await project.compose('up', '--detach', '--no-deps', '--force-recreate', '--wait', replica)
      await sleep(3000) // As docs/deploying.md says: Caddy has to see that the replica is back.
      await traffic.untilMore(20)
    }
    await traffic.stop()
    expect([traffic.broken, traffic.unfinished, ...traffic.refusals]).toEqual([0, 0])
  })
})

/** The key that the log of the first start shows. */
async function firstCaller(project: ComposeProject): Promise<Caller> {
  let key: string | undefined
  await until(
    'the log shows the chat key',
    async () => {
      const log = await project.compose('logs', 'parley-1', 'parley-2')
      key = /Bearer (svc_ck_\w+)/.exec(log)?.[1]
      return key !== undefined
    },
    { everyMs: 200 },
  )
  return { model: 'parley-guide-10001', key: key ?? '' }
}

/** Lets this process trust the certificate authority of the container. */
async function trustCaddy(project: ComposeProject): Promise<void> {
  let root = ''
  const read = async () => {
    root = await project.compose('exec', '-T', 'caddy', 'cat', authority).catch(() => '')
    return root !== ''
  }
  await until('Caddy has its authority', read, { everyMs: 200 })
  setDefaultCACertificates([...getCACertificates('default'), root])
}

async function ask(project: ComposeProject, { model, key }: Caller): Promise<string> {
  const response = await fetch(`${project.origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: 'How do I continue a conversation?' }],
    }),
  })
  expect(response.status).toBe(200)
  return await response.text()
}
