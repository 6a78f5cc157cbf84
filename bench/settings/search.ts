import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { enginesOf } from '../subjects/engines.ts'
import { searchCase } from '../suite/case-names.ts'
import type { Stage } from '../suite/run.ts'
import type { GrowthResult } from '../knowledge.ts'

/** Searches in an agent's growing knowledge, as `npm run bench:knowledge` measures them. */
export const search: Stage = {
  settings: ['search'],
  async run(run) {
    const { cranfield, quick, rounds } = run.options
    if (!existsSync(join(cranfield, 'cran.all.1400')))
      return run.note(
        'search was left out: pass the folder of the Cranfield collection with --cranfield',
      )
    const most = quick ? '1000' : '100000'
    const engines = enginesOf(run).map(({ name }) => name)
    for (let round = 1; round <= rounds; round += 1) {
      const args = [cranfield, most, '0', engines.join(','), '--growth']
      const child = fork(join(import.meta.dirname, '..', 'knowledge.ts'), args, {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      })
      child.on('message', (message) => {
        // It sends nothing else.
        const { engine, chunks, search, p50Ms, p99Ms } = message as GrowthResult
        const of = searchCase(chunks, search)
        const values = { p50Ms, p99Ms }
        run.record({ setting: 'search', case: of, subject: engine, round, values })
      })
      const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
      if (code !== 0) throw new Error(`the knowledge bench ended with code ${code}`)
    }
  },
}
