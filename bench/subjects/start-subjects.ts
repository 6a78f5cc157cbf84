import type { Run } from '../suite/run.ts'
import { checkOut } from './checkout.ts'
import { startParley, type Parley, type ParleyOptions } from './parley.ts'
import { bareProxy, direct, portkey, voltagent } from './peers.ts'
import type { BenchPostgres } from './postgres.ts'
import { completion, type Subject, type SubjectName } from './subject.ts'

/** Parley as a subject, with an agent for each of the mock's models. */
export interface ParleySubject extends Subject {
  /** For MCP. */
  readonly developerKey: string
  readonly origin: string
  readonly readySeconds: number
  readonly call: Parley['call']
  /** CPU seconds without those of the database server. */
  ownCpu(): Promise<number>
}

/** Starts what a run compares, all at once, so that it can take turns between them. */
export async function startSubjects(run: Run): Promise<Subject[]> {
  const { modelUrl } = run.generator
  const { subjects: chosen, base } = run.options
  const [checkout] = base === null ? [] : await checkOut([base])
  const engines = { sqlite: null, ...(run.postgres !== null && { postgres: run.postgres }) }
  const starts: Partial<Record<SubjectName, () => Promise<Subject>>> = {
    direct: () => Promise.resolve(direct(modelUrl)),
    bare: () => bareProxy(modelUrl),
    portkey: () => portkey(modelUrl),
    voltagent: () => voltagent(modelUrl),
  }
  for (const [engine, postgres] of Object.entries(engines)) {
    // The keys of the object above.
    const name = engine as 'sqlite' | 'postgres'
    starts[name] = () => parleySubject(name, { modelUrl }, postgres)
    if (checkout !== undefined)
      starts[`base-${name}`] = () => parleySubject(`base-${name}`, { modelUrl, checkout }, postgres)
  }
  const wanted = Object.entries(starts).filter(
    ([name]) => chosen.length === 0 || chosen.includes(name),
  )
  const started: Subject[] = []
  for (const [name, start] of wanted)
    try {
      started.push(await start())
    } catch (error) {
      // A peer that cannot be installed is no reason not to measure the others.
      run.note(`${name} was left out, because it could not be started`, error)
    }
  return started
}

/** Starts Parley on a new folder or database and creates its agents and keys. */
export async function parleySubject(
  name: SubjectName,
  options: Omit<ParleyOptions, 'databaseUrl'>,
  postgres: BenchPostgres | null,
): Promise<ParleySubject> {
  const databaseUrl = postgres === null ? null : await postgres.newDatabase()
  const parley = await startParley({ ...options, databaseUrl })
  const agent = async (model: string) => {
    const made = await parley.call('create_app', { name: 'Bench', model: `openai/${model}` })
    const { key } = await parley.call('create_chat_key', { app_id: made.id, name: 'bench' })
    return { name: String(made.app_name_id), key: String(key) }
  }
  const agents = { mock: await agent('mock'), paced: await agent('paced') }
  const { key } = await parley.call('create_developer_key', { name: 'bench' })
  return {
    ...parley,
    name,
    developerKey: String(key),
    healthUrl: `${parley.origin}/healthz`,
    ask(question) {
      const { name, key } = agents[question.model]
      const headers = { authorization: `Bearer ${key}` }
      return completion(`${parley.origin}/api/v1/chat/completions`, name, question, headers)
    },
    ownCpu: parley.cpu,
    cpu: async () => (await parley.cpu()) + ((await postgres?.cpu()) ?? 0),
  }
}
