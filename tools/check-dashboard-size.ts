import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/**
 * Holds the dashboard's build to its budget: `node tools/check-dashboard-size.ts`. The first load is
 * everything that the browser fetches before it can show a page, counted as gzip, the larger of the
 * two encodings that the service sends. With the page that signing in leads to it is counted as
 * brotli, which browsers take on https and on this computer. Every other page comes when it is opened.
 */

const budget = {
  firstScripts: 200_000,
  /** The same and the first page's own, as brotli. */
  firstPage: 200_000,
  firstStyles: 20_000,
  /** Any one part that is fetched later. */
  part: 150_000,
} as const

/** Where signing in leads. */
const landingPage = 'src/features/agents/agents-page.tsx'

const build = join(import.meta.dirname, '../dashboard/dist')

const chunk = z.object({
  file: z.string(),
  isEntry: z.boolean().optional(),
  imports: z.array(z.string()).default([]),
  css: z.array(z.string()).default([]),
})
const manifest = z
  .record(z.string(), chunk)
  .parse(JSON.parse(readFileSync(join(build, 'manifest.json'), 'utf8')))

const problems = [...measure(), ...inspectPage()]
for (const problem of problems) console.error(`Dashboard: ${problem}`)
if (problems.length > 0) process.exitCode = 1

function measure(): string[] {
  const entry = Object.entries(manifest).find(([, { isEntry }]) => isEntry === true)
  if (entry === undefined) return ['the build has no entry']
  const first = reachable(entry[0])
  const scripts = sum(first.map((name) => part(name).file))
  const styles = sum([...new Set(first.flatMap((name) => part(name).css))])
  const firstPage = sum(
    [...new Set([...first, ...reachable(landingPage)])].map((name) => part(name).file),
    '.br',
  )
  const others = Object.keys(manifest).filter((name) => !first.includes(name))
  const largest = Math.max(0, ...others.map((name) => compressed(part(name).file)))
  console.log(
    `Dashboard: first load ${kilo(scripts)} of script (at most ${kilo(budget.firstScripts)}) and ` +
      `${kilo(styles)} of style; with its first page ${kilo(firstPage)} as brotli; ${others.length} parts on demand, the largest ${kilo(largest)}.`,
  )
  return [
    ...over('script of the first load', scripts, budget.firstScripts),
    ...over('script of the first page', firstPage, budget.firstPage),
    ...over('style of the first load', styles, budget.firstStyles),
    ...over('largest part', largest, budget.part),
  ]
}

/** An entry and what it imports statically. */
function reachable(name: string, found: string[] = []): string[] {
  if (found.includes(name)) return found
  found.push(name)
  for (const imported of part(name).imports) reachable(imported, found)
  return found
}

function part(name: string): z.output<typeof chunk> {
  const found = manifest[name]
  if (found === undefined) throw new Error(`the manifest has no ${name}`)
  return found
}

/** What would hold up the first paint, or break the page's policy. */
function inspectPage(): string[] {
  const page = readFileSync(join(build, 'index.html'), 'utf8')
  const assets = readdirSync(join(build, 'assets'))
  const compressible = assets.filter((name) => /\.(?:js|css|svg)$/.test(name))
  return [
    ...(/(?:src|href)="(?:https?:)?\/\//.test(page) ? ['the page fetches from elsewhere'] : []),
    ...(/<script(?![^>]*\btype="module")[^>]*>/.test(page) ? ['a script blocks the page'] : []),
    ...(/<script[^>]*>[^<]/.test(page) ? ['a script stands in the page'] : []),
    ...(/<style|\sstyle=/.test(page) ? ['a style stands in the page'] : []),
    ...compressible
      .filter((name) => !assets.includes(`${name}.br`) || !assets.includes(`${name}.gz`))
      .map((name) => `${name} is not compressed`),
  ]
}

function compressed(file: string, encoding: '.gz' | '.br' = '.gz'): number {
  const path = join(build, file)
  const { size } = statSync(`${path}${encoding}`, { throwIfNoEntry: false }) ?? statSync(path)
  return size
}

function sum(files: readonly string[], encoding?: '.gz' | '.br'): number {
  return files.reduce((total, file) => total + compressed(file, encoding), 0)
}

function over(what: string, bytes: number, most: number): string[] {
  return bytes <= most ? [] : [`${what}: ${kilo(bytes)}, at most ${kilo(most)}`]
}

function kilo(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}
