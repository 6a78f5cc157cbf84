export { attachFiles } from './attach-files.ts'
export { expireUploads } from './expire-uploads.ts'
export { fileFaults } from './file-faults.ts'
export type { FilePart, WantedFile } from './file-part.ts'
export {
  deleteUpload,
  eraseUpload,
  eraseUploadsOf,
  findUpload,
  finishUpload,
  listUploads,
  openUpload,
  storeUpload,
  type UploadedFile,
} from './uploads.ts'
export type { UploadPlace } from './upload-store.ts'
export type { FileUse } from './use-upload.ts'
export { quoteFiles } from './quote-files.ts'
