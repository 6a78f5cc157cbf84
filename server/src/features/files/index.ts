export { attachFiles } from './attach-files.ts'
export { fileFaults } from './file-faults.ts'
export type { FilePart, WantedFile } from './file-part.ts'
export { quoteFiles } from './quote-files.ts'
