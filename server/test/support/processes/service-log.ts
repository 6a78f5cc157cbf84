import type { ParleyProcess } from './parley-process.ts'
import { until } from '#test/support/until.ts'

export interface LogLine {
  readonly pid: number
  readonly msg: string
  readonly requestId?: string
  readonly worker?: number
  readonly workerPid?: number
}

/** The lines of a service's log so far, each of which must be JSON. */
export function logLines(service: Pick<ParleyProcess, 'log'>): readonly LogLine[] {
  const whole = service.log().slice(0, service.log().lastIndexOf('\n') + 1)
  return whole
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

/** The processes that serve, in the order in which they became ready; also those that have ended. */
export function readyWorkers(service: Pick<ParleyProcess, 'log'>): readonly number[] {
  return logLines(service).flatMap(({ msg, workerPid }) =>
    msg === 'a worker is ready' && workerPid !== undefined ? [workerPid] : [],
  )
}

/** Waits until so many processes have become ready since the start. */
export async function untilReady(
  service: Pick<ParleyProcess, 'log'>,
  count: number,
): Promise<readonly number[]> {
  await until(`${count} workers were ready`, () => readyWorkers(service).length >= count)
  return readyWorkers(service)
}
