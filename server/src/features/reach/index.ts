export { describeReaches, type DescribedReach } from './describe-reaches.ts'
export { listPickable, type Pickable } from './list-pickable.ts'
export { reachFaults, requireReachInto, resolveReach, type PickedReach } from './resolve-reach.ts'
