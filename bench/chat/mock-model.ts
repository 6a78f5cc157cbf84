import { startModelServer } from '../../server/test/support/servers/model-server.ts'
import type { ModelScript } from '../../server/test/support/servers/model-wires.ts'

/** The mock model server as a separate process. Its answers depend on the model's name. */

const usage = { prompt: 12, completion: 40 }
const whole: ModelScript = { reply: `w${'ord '.repeat(40)}`, usage }
const burst: ModelScript = { reply: Array.from({ length: 40 }, () => 'word '), usage }
const paced: ModelScript = {
  reply: Array.from({ length: 60 }, () => 'word '),
  usage,
  firstByteMs: 300,
  chunkMs: 20,
}

/** A model that writes ten words a second, so that many read at the same time. */
const slow: ModelScript = { ...paced, chunkMs: 100 }

const server = await startModelServer({
  record: false,
  script: ({ body }) => {
    if (body.model === 'paced') return paced
    if (body.model === 'slow') return slow
    return body.stream === true ? burst : whole
  },
})
process.send?.(server.baseUrl)
process.on('disconnect', () => process.exit(0))
