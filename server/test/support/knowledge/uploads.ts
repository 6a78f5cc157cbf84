import type { ChatService } from '#test/support/chat/chat-service.ts'
import { expectInContract } from '#test/support/chat/open-responses.ts'

interface FileBody {
  readonly id: string
  readonly filename: string
  readonly expires_at: number
  readonly error: { readonly message: string; readonly param: string | null }
}

interface ListBody {
  readonly data: readonly FileBody[]
  readonly has_more: boolean
}

/** The requests of one agent about its files. */
export function filesOf({ app, key: ownKey }: ChatService, key = ownKey) {
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${key}` }
    const response = await app.request(`/api/v1/files${path}`, { ...init, headers })
    return await expectInContract(init.method ?? 'GET', `/files${path}`, response)
  }
  const upload = (
    content: string | Buffer,
    name = 'note.md',
    fields: Readonly<Record<string, string>> = { purpose: 'user_data' },
  ) => {
    const body = new FormData()
    body.append('file', new Blob([new Uint8Array(Buffer.from(content))]), name)
    for (const [field, value] of Object.entries(fields)) body.append(field, value)
    return call('', { method: 'POST', body })
  }
  const made = async (...of: Parameters<typeof upload>) => await bodyOf(await upload(...of))
  const listed = async (query: string) => (await (await call(query)).json()) as ListBody
  return { call, upload, made, listed }
}

export async function bodyOf(response: Response): Promise<FileBody> {
  // The fields that these tests read.
  return (await response.json()) as FileBody
}

/** A question about a file, for chat completions. */
export const askingAbout = (file_id: string) => ({
  messages: [
    {
      role: 'user',
      content: [
        { type: 'file', file: { file_id } },
        { type: 'text', text: 'Which colour?' },
      ],
    },
  ],
})

export const storedUploads = async ({ ctx }: ChatService) => ({
  files: await ctx.db.read.selectFrom('uploaded_files').select('id').execute(),
  pieces: await ctx.db.read.selectFrom('uploaded_file_pieces').select('ordinal').execute(),
})
export const noUploads = { files: [], pieces: [] }
