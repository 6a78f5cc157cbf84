import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as apps from 'kubernetes-models/apps/v1'
import * as autoscaling from 'kubernetes-models/autoscaling/v2'
import * as batch from 'kubernetes-models/batch/v1'
import * as networking from 'kubernetes-models/networking.k8s.io/v1'
import * as policy from 'kubernetes-models/policy/v1'
import * as core from 'kubernetes-models/v1'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { variables } from '#config'
import { HelmChart, type ChartValues, type KubernetesObject } from './helm-chart.ts'
import { absenceOf, root } from './tools.ts'

const models: Readonly<Record<string, new (data: never) => { validate(): void }>> = {
  ConfigMap: core.ConfigMap,
  CronJob: batch.CronJob,
  Deployment: apps.Deployment,
  HorizontalPodAutoscaler: autoscaling.HorizontalPodAutoscaler,
  Ingress: networking.Ingress,
  PersistentVolumeClaim: core.PersistentVolumeClaim,
  PodDisruptionBudget: policy.PodDisruptionBudget,
  Secret: core.Secret,
  Service: core.Service,
}

const secretKey = 'ab'.repeat(32)
const embedded: ChartValues = { baseUrl: 'https://agents.example.com' }
const cluster: ChartValues = {
  image: { repository: 'registry.example.com/parley', tag: '1.2.3' },
  imagePullSecrets: [{ name: 'registry' }],
  database: { engine: 'postgres', url: 'postgres://parley:pass@db:5432/parley' },
  secretKey,
  replicas: 3,
  workers: 2,
  env: { DEFAULT_MODEL: 'openai/gpt-5', DEMO: false },
  secretEnv: { OPENAI_API_KEY: 'sk-test' },
  trustProxy: '10.42.0.0/16',
  ingress: {
    enabled: true,
    className: 'nginx',
    host: 'agents.example.com',
    tlsSecret: 'tls',
    annotations: { 'example.com/size': 64 },
  },
  service: { annotations: { 'example.com/a': 'b' } },
  podAnnotations: { 'example.com/a': 'b' },
  podLabels: { team: 'agents' },
  nodeSelector: { 'kubernetes.io/arch': 'arm64' },
  tolerations: [{ key: 'a', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
}
const scaled: ChartValues = {
  ...cluster,
  autoscaling: { enabled: true },
  backup: { existingClaim: 'kept' },
}
const managed: ChartValues = {
  ...embedded,
  database: { engine: 'postgres' },
  existingSecret: 'mine',
  backup: { enabled: false },
}

describe.skipIf(absenceOf(['go']) !== null)('the Helm chart', () => {
  let folder: string
  let chart: HelmChart

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-chart-'))
    chart = await HelmChart.create(folder)
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  const kinds = (objects: readonly KubernetesObject[]) => objects.map(({ kind }) => kind).toSorted()
  const of = (objects: readonly KubernetesObject[], kind: string) =>
    objects.find((object) => object.kind === kind)

  test.each([
    ['SQLite', embedded, ['ConfigMap', 'Deployment', 'PersistentVolumeClaim', 'Service']],
    [
      'PostgreSQL',
      cluster,
      [
        'ConfigMap',
        'CronJob',
        'Deployment',
        'Ingress',
        'PersistentVolumeClaim',
        'PodDisruptionBudget',
        'Secret',
        'Service',
      ],
    ],
    [
      'PostgreSQL with autoscaling',
      scaled,
      [
        'ConfigMap',
        'CronJob',
        'Deployment',
        'HorizontalPodAutoscaler',
        'Ingress',
        'PodDisruptionBudget',
        'Secret',
        'Service',
      ],
    ],
    ['a Secret of the operator', managed, ['ConfigMap', 'Deployment', 'Service']],
  ])('renders valid objects for %s', async (_, values, expected) => {
    const objects = await chart.render(values)
    expect(kinds(objects)).toEqual(expected)
    for (const object of objects) {
      const Model = models[object.kind]
      if (Model === undefined) throw new Error(`${object.kind} is not checked`)
      // The schema decides whether it is one.
      new Model(object as never).validate()
    }
    expect(await chart.typeErrors(objects)).toBe('')
  })

  test('is checked for fields that Kubernetes does not know, and for wrong values', async () => {
    const [object] = (await chart.render(embedded)).filter(({ kind }) => kind === 'Service')
    if (object === undefined) throw new Error('there is no Service')
    expect(await chart.typeErrors([{ ...object, spec: { portz: [] } }])).toContain('portz')
    const wrong = { ...object, spec: { ports: [{ name: 'http' }] } }
    expect(() => new core.Service(wrong as never).validate()).toThrow('port')
  })

  test.each([
    [{ ...embedded, replicas: 2 }, 'SQLite serves exactly one replica'],
    [{ ...embedded, autoscaling: { enabled: true } }, 'SQLite serves exactly one replica'],
    [{ ...embedded, workers: 2 }, 'SQLite serves one process'],
    [{ ...cluster, secretKey: '' }, 'requires secretKey'],
    [{ ...cluster, database: { engine: 'postgres' } }, 'requires database.url'],
    [{ ...cluster, existingSecret: 'mine' }, 'existingSecret replaces'],
    [{}, 'set baseUrl, or ingress.host'],
    [{ ...embedded, replicass: 2 }, 'additional properties'],
    [{ ...embedded, backup: { every: 'daily' } }, 'pattern'],
  ])('explains which values are wrong: %#', async (values, problem) => {
    await expect(chart.render(values)).rejects.toThrow(problem)
  })

  test('has default values that fit its schema', async () => {
    expect(chart.refusedValues(await chart.defaults())).toEqual([])
  })

  test('runs every pod as compose.yaml does: not as root, and without writing its own files', async () => {
    const objects = await chart.render(cluster)
    for (const kind of ['Deployment', 'CronJob']) {
      const text = JSON.stringify(of(objects, kind))
      expect(text).toContain('"runAsNonRoot":true,"runAsUser":10001')
      expect(text).toContain('"readOnlyRootFilesystem":true,"capabilities":{"drop":["ALL"]}')
      expect(text).toContain('"automountServiceAccountToken":false')
    }
  })

  test('keeps one replica of SQLite and its volume, and replaces those of PostgreSQL one by one', async () => {
    const [sqlite, postgres] = [await chart.render(embedded), await chart.render(cluster)]
    expect(of(sqlite, 'Deployment')).toMatchObject({
      spec: { replicas: 1, strategy: { type: 'Recreate' } },
    })
    expect(of(sqlite, 'PersistentVolumeClaim')).toMatchObject({
      metadata: { annotations: { 'helm.sh/resource-policy': 'keep' } },
    })
    expect(of(postgres, 'Deployment')).toMatchObject({
      spec: { replicas: 3, strategy: { rollingUpdate: { maxUnavailable: 0 } } },
    })
    expect(of(await chart.render(scaled), 'Deployment')).not.toHaveProperty('spec.replicas')
  })

  test('replaces the pods when a setting or secret changes', async () => {
    const annotationsOf = async (values: ChartValues) => {
      const text = JSON.stringify(of(await chart.render(values), 'Deployment'))
      return [...text.matchAll(/"checksum\/\w+":"\w+"/g)].map(String)
    }
    const before = await annotationsOf(cluster)
    expect(before).toHaveLength(2)
    expect(await annotationsOf({ ...cluster, trustProxy: '10.0.0.0/8' })).not.toEqual(before)
    expect(await annotationsOf({ ...cluster, secretEnv: {} })).not.toEqual(before)
  })

  test('sets only variables that Parley knows, and stores secrets only in the Secret', async () => {
    const objects = await chart.render({ ...cluster, env: {}, secretEnv: {} })
    const text = JSON.stringify([...objects, ...(await chart.render(embedded))])
    const names = [...text.matchAll(/"(?:name":")?([A-Z][A-Z_]{3,})"/g)].map(
      ([, name = '']) => name,
    )
    expect(new Set(names).size).toBeGreaterThan(7)
    for (const name of names) expect(Object.keys({ ...variables, ALL: 0 })).toContain(name)
    const others = objects.filter(({ kind }) => kind !== 'Secret')
    expect(JSON.stringify(others)).not.toMatch(new RegExp(`${secretKey}|parley:pass`))
  })

  test('has the version of Parley', async () => {
    const manifest: unknown = JSON.parse(await readFile(join(root, 'server/package.json'), 'utf8'))
    const about = await readFile(join(root, 'deploy/chart/Chart.yaml'), 'utf8')
    const { version } = manifest as { version: string }
    expect(about).toContain(`\nversion: ${version}\nappVersion: ${version}\n`)
  })
})
