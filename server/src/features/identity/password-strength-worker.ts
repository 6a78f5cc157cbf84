import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { z } from 'zod'
import type { TaskRunner } from '#platform/bounded-workers/bounded-workers.ts'

/** The time of an analysis grows faster than the length; a longer password repeats its beginning. */
const maxAnalysed = 64

const zxcvbn = new ZxcvbnFactory({
  dictionary,
  graphs: adjacencyGraphs,
  maxLength: maxAnalysed,
})

const taskSchema = z.object({ password: z.string(), known: z.array(z.string()) })

/** Answers with the score of a password, from 0 (guessed at once) to 4. */
export const runTask: TaskRunner = function* (task) {
  const { password, known } = taskSchema.parse(task)
  yield zxcvbn.check(password, known).score
}
