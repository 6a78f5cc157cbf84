import { execFile } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Ajv, type ValidateFunction } from 'ajv'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { root, run } from './tools.ts'

const exec = promisify(execFile)

const chart = join(root, 'deploy/chart')
const renderer = join(import.meta.dirname, 'helm-template/main.go')

const kubernetesObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels: z.record(z.string(), z.string()) }),
})
export type KubernetesObject = z.infer<typeof kubernetesObject>

export type ChartValues = Readonly<Record<string, unknown>>

/**
 * Renders the chart as Helm does. Debian has no Helm, so a small program does it with Helm's template
 * language and functions (helm-template/main.go).
 */
export class HelmChart {
  readonly #program: string
  readonly #folder: string
  readonly #validValues: ValidateFunction

  private constructor(folder: string, validValues: ValidateFunction) {
    this.#folder = folder
    this.#program = join(folder, 'helm-template')
    this.#validValues = validValues
  }

  /** @param folder an empty one, which the caller removes */
  static async create(folder: string): Promise<HelmChart> {
    const schema: unknown = JSON.parse(await readFile(join(chart, 'values.schema.json'), 'utf8'))
    const object = z.record(z.string(), z.unknown()).parse(schema)
    const made = new HelmChart(folder, new Ajv({ allowUnionTypes: true }).compile(object))
    await run('go', ['build', '-o', made.#program, renderer], {
      GO111MODULE: 'off',
      GOPATH: '/usr/share/gocode',
      GOCACHE: join(folder, 'cache'),
    })
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    return made
  }

  async defaults(): Promise<unknown> {
    return parse(await readFile(join(chart, 'values.yaml'), 'utf8'))
  }

  /** What Helm reports before it renders: values that the schema refuses. */
  refusedValues(values: unknown): readonly string[] {
    this.#validValues(values)
    const errors = this.#validValues.errors ?? []
    return errors.map(({ instancePath, message }) => `${instancePath} ${message}`)
  }

  /** @throws with the message of the template's `fail` */
  async render(values: ChartValues): Promise<readonly KubernetesObject[]> {
    const refused = this.refusedValues(values)
    if (refused.length > 0) throw new Error(refused.join('; '))
    const running = exec(this.#program, [chart, 'parley'])
    running.child.stdin?.end(JSON.stringify(values))
    const { stdout } = await running
    const [, ...files] = stdout.split(/^---\n# Source: (?=.*\n)/m)
    return files
      .filter((file) => !file.startsWith('NOTES.txt'))
      .flatMap((file) => parseAllDocuments(file.slice(file.indexOf('\n'))))
      .map((document) => {
        if (document.errors.length > 0) throw new Error(String(document.errors[0]))
        return document.toJS() as unknown
      })
      .filter((object) => object !== null)
      .map((object) => kubernetesObject.parse(object))
  }

  /**
   * Lets the compiler compare objects with Kubernetes' types: unlike the schemas, they know no other
   * fields.
   *
   * @returns the compiler's errors; empty if there are none
   */
  async typeErrors(objects: readonly KubernetesObject[]): Promise<string> {
    const lines = objects.map(
      (object, index) =>
        `export const object${index}: import('kubernetes-models/${object.apiVersion}').I${object.kind} = ${JSON.stringify(object)}`,
    )
    const file = join(this.#folder, 'objects.ts')
    await writeFile(file, lines.join('\n'))
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--types',
      '',
    ]
    try {
      await exec(join(root, 'node_modules/.bin/tsc'), [...options, file], { cwd: this.#folder })
      return ''
    } catch (error) {
      return z.object({ stdout: z.string() }).parse(error).stdout
    }
  }
}
