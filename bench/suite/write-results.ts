import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { page } from './markdown.ts'
import { plot, plotted } from './plot.ts'
import { summarise, type Results } from './results.ts'

/** Writes the numbers as JSON, the tables as a page, and a plot for each setting. */
export async function writeResults(folder: string, results: Results): Promise<void> {
  await mkdir(folder, { recursive: true })
  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  const summaries = summarise(results.measurements)
  const plots = new Map<string, string>()
  for (const [setting, lines] of Map.groupBy(summaries, ({ setting }) => setting)) {
    const chosen = plotted[setting]
    if (chosen === undefined) continue
    const name = `${setting}.svg`
    await write(name, plot(chosen.title, chosen.metric, lines))
    plots.set(setting, name)
  }
  await write('results.json', `${JSON.stringify(results, null, 1)}\n`)
  await write('README.md', page(results, summaries, plots))
}
