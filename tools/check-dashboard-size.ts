import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/**
 * Checks the dashboard's build against its size budget: `node tools/check-dashboard-size.ts`. The
 * first load of a page is everything that the browser fetches before it can show that page when it
 * is opened by its address. It is counted as gzip, the larger of the two encodings that the service
 * sends. Menus, dialogs and charts are fetched later, when they are needed.
 */

const budget = {
  /** The first load of any page: HTML, styles and scripts, without the font. */
  page: 200_000,
  firstStyles: 20_000,
  /** Any one part that is fetched later. */
  part: 150_000,
  /** The script and style of the chat page, which visitors load instead of the dashboard. */
  chatPage: 100_000,
  /** The loader of the widget, on the pages of other sites. */
  widget: 4000,
} as const

const build = join(import.meta.dirname, '../dashboard/dist')

const chunk = z.object({
  file: z.string(),
  name: z.string().optional(),
  isEntry: z.boolean().optional(),
  imports: z.array(z.string()).default([]),
  dynamicImports: z.array(z.string()).default([]),
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
  const first = closure([entry[0]])
  const styles = sum([...new Set(first.flatMap((name) => part(name).css))])
  const pages = Object.keys(manifest)
    .filter((name) => name.endsWith('-page.tsx'))
    .map((name) => ({ name: shortName(name), bytes: firstLoadOf([...layoutsOf(name), name]) }))
    .toSorted((a, b) => b.bytes - a.bytes)
  const others = Object.keys(manifest).filter((name) => !first.includes(name))
  const largest = Math.max(0, ...others.map((name) => compressed(part(name).file)))
  console.log(
    `Dashboard: ${kilo(firstLoadOf([]))} around every page, of which ${kilo(styles)} of style; ${others.length} parts on demand, the largest ${kilo(largest)}.\n` +
      `The first load without the font, page by page (at most ${kilo(budget.page)} as gzip):`,
  )
  for (const { name, bytes } of pages) console.log(`  ${kilo(bytes)}  ${name}`)
  return [
    ...(pages.length === 0 ? ['the build has no pages'] : []),
    ...pages.flatMap(({ name, bytes }) => over(`first load of ${name}`, bytes, budget.page)),
    ...over('style of the first load', styles, budget.firstStyles),
    ...over('largest part', largest, budget.part),
    ...over('chat page', sum(['chat/page.js', 'chat/page.css']), budget.chatPage),
    ...over('widget', sum(['chat/widget.js']), budget.widget),
  ]

  /** The page itself, its styles and its scripts. */
  function firstLoadOf(names: readonly string[]): number {
    const shown = [...first, ...closure(names)]
    const scripts = sum([...new Set(shown.map((name) => part(name).file))])
    return compressed('index.html') + styles + scripts
  }
}

/** The layouts around a page: its folder's, and the agent's if the page belongs to an agent. */
function layoutsOf(page: string): string[] {
  const folder = page.slice(0, page.lastIndexOf('/'))
  const isOfAgent = !/\/(?:agents|home|settings)$/.test(folder)
  return Object.keys(manifest).filter(
    (name) =>
      name.endsWith('-layout.tsx') &&
      (name.startsWith(`${folder}/`)
        ? !folder.endsWith('/agents')
        : isOfAgent && name.includes('/agents/')),
  )
}

function shortName(page: string): string {
  return page.replace(/^src\/features\//, '').replace(/-page\.tsx$/, '')
}

function closure(names: readonly string[]): string[] {
  const found: string[] = []
  for (const name of names) reachable(name, found)
  return found
}

/** Adds an entry and its static imports to `found`. */
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

/** Finds what would delay the first paint or violate the page's content security policy. */
function inspectPage(): string[] {
  const page = readFileSync(join(build, 'index.html'), 'utf8')
  const assets = readdirSync(join(build, 'assets'))
  const compressible = assets.filter((name) => /\.(?:js|css|svg)$/.test(name))
  return [
    ...(/(?:src|href)="(?:https?:)?\/\//.test(page) ? ['the page fetches from elsewhere'] : []),
    ...(/<script(?![^>]*\btype="module")[^>]*>/.test(page) ? ['a script blocks the page'] : []),
    ...(/<script[^>]*>[^<]/.test(page) ? ['the page has an inline script'] : []),
    ...(/<style|\sstyle=/.test(page) ? ['the page has an inline style'] : []),
    ...compressible
      .filter((name) => !assets.includes(`${name}.br`) || !assets.includes(`${name}.gz`))
      .map((name) => `${name} is not compressed`),
  ]
}

function compressed(file: string): number {
  const path = join(build, file)
  const { size } = statSync(`${path}.gz`, { throwIfNoEntry: false }) ?? statSync(path)
  return size
}

function sum(files: readonly string[]): number {
  return files.reduce((total, file) => total + compressed(file), 0)
}

function over(what: string, bytes: number, most: number): string[] {
  return bytes <= most ? [] : [`${what}: ${kilo(bytes)}, at most ${kilo(most)}`]
}

function kilo(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}
