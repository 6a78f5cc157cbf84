export { documentFaults, type Section, type WebPage } from './document.ts'
export {
  charsetOf,
  documentFormats,
  formatOf,
  knownExtensions,
  type DocumentFormat,
} from './document-format.ts'
export { readDocument } from './read-document.ts'
export { readRobotsHeader, type RobotsDirectives } from './robots-directives.ts'
