import type { Stage } from '../suite/run.ts'
import { agents } from './agents.ts'
import { chat } from './chat.ts'
import { memory } from './memory.ts'
import { search } from './search.ts'
import { sessions } from './sessions.ts'
import { shop } from './shop.ts'
import { slow } from './slow-disk.ts'
import { tools } from './tools.ts'

/** Everything that `npm run bench` measures, in this order. */
export const stages: readonly Stage[] = [chat, memory, slow, sessions, agents, tools, shop, search]
