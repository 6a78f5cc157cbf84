export { createDomainSurface } from './domain-surface.ts'
export { publicSurface } from './page-routes.ts'
