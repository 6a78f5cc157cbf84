import { createBoundedWorkers } from '#platform/bounded-workers/create-bounded-workers.ts'

// Uses a worker and does not close it: this process must end anyway.
const limits = { heapMegabytes: 64, residentMegabytes: 400, silenceMs: 20_000, totalMs: 60_000 }
const module = new URL(import.meta.resolve('./process-id-task.ts'))
const worker = createBoundedWorkers({ dataDir: '/nowhere' }).open(module, limits)
const answers = worker.run({}, [], new AbortController().signal)
for await (const pid of answers) process.stdout.write(String(pid))
