import type { Stage } from '../suite/run.ts'
import { chat } from './chat.ts'

/** Everything that `npm run bench` measures, in this order. */
export const stages: readonly Stage[] = [chat]
