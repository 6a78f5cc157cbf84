import { startSubjects } from '../subjects/start-subjects.ts'
import type { Question, Subject } from '../subjects/subject.ts'
import { crowdCase, pacedCase, streamsCase, wholeCase } from '../suite/case-names.ts'
import { measure, rotated, type Run, type Stage } from '../suite/run.ts'

/** Turns through every server, in turn. */
export const chat: Stage = {
  settings: ['whole', 'streams', 'paced', 'crowd'],
  async run(run, wanted) {
    const subjects = await startSubjects(run)
    try {
      await warmUp(run, subjects)
      for (const one of cases(run))
        if (wanted.has(one.setting))
          for (let round = 1; round <= run.options.rounds; round += 1)
            for (const subject of rotated(subjects, round)) {
              const target = subject.ask(one.question)
              const values = await measure(run, subject, { ...one, target })
              run.record({ ...one, case: one.name, subject: subject.name, round, values })
            }
    } finally {
      await Promise.all(subjects.map((subject) => subject.stop()))
    }
  },
}

interface Case {
  readonly setting: string
  readonly name: string
  readonly question: Question
  readonly callers: number
  readonly seconds: number
  readonly watchesHealth?: boolean
}

function cases({ options: { seconds } }: Run): Case[] {
  const whole = [1, 10].flatMap((messages) =>
    [1, 32, 128].map((callers) => ({
      setting: 'whole',
      name: wholeCase(messages, callers),
      question: { messages, model: 'mock', stream: false } as const,
      callers,
      seconds,
    })),
  )
  const stream = { messages: 1, model: 'mock', stream: true } as const
  const paced = { ...stream, model: 'paced' } as const
  return [
    ...whole,
    { setting: 'streams', name: streamsCase, question: stream, callers: 32, seconds },
    // A stream takes 1.5 seconds.
    {
      setting: 'paced',
      name: pacedCase,
      question: paced,
      callers: 200,
      seconds: Math.max(3, seconds),
    },
    {
      setting: 'crowd',
      name: crowdCase,
      question: paced,
      callers: 1_000,
      seconds: 0,
      watchesHealth: true,
    },
  ]
}

/** The first requests compile the code; a user's hundredth turn is what matters. */
async function warmUp({ generator, options }: Run, subjects: readonly Subject[]): Promise<void> {
  const seconds = Math.min(3, options.seconds)
  for (const subject of subjects)
    for (const stream of [false, true])
      await generator.load(subject.ask({ messages: 1, model: 'mock', stream }), 32, seconds)
}
