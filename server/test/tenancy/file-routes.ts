import { bearer, type Route } from './tenant-request.ts'

/** The routes of uploaded files. */
export const fileRoutes: Readonly<Record<string, Route>> = {
  'POST /api/v1/files': 'adds a file to the agent of the key, and names no record',
  'GET /api/v1/files': 'lists the files of the agent of the key',
  'GET /api/v1/files/:id': (own, ids) => [
    { path: `/api/v1/files/${ids.fileId}`, init: bearer(own.chatKey) },
  ],
  'GET /api/v1/files/:id/content': (own, ids) => [
    { path: `/api/v1/files/${ids.fileId}/content`, init: bearer(own.chatKey) },
  ],
  'DELETE /api/v1/files/:id': (own, ids) => [
    { path: `/api/v1/files/${ids.fileId}`, init: { ...bearer(own.chatKey), method: 'DELETE' } },
  ],
}
