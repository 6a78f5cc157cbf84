import { useRef, useState } from 'react'
import { useMe } from '#api/me.ts'
import { formatBytes } from '#texts/format.ts'
import { t } from '#texts/t.ts'
import { problemOfFile, readAttachment, roomFor, type Attachment } from './attachment.ts'

export interface Attachments {
  readonly items: readonly Attachment[]
  /** Why files were not attached, for people. */
  readonly problem: string | null
  add(files: readonly File[]): void
  remove(id: number): void
  clear(): void
}

/** The files that are attached to the message that is being written. They are read when they are added. */
export function useAttachments(): Attachments {
  const { limits } = useMe()
  const [items, setItems] = useState<readonly Attachment[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  // Also while the state of an earlier addition is not rendered yet.
  const kept = useRef<readonly Attachment[]>([])
  const count = useRef(0)
  function keep(next: readonly Attachment[]): void {
    kept.current = next
    setItems(next)
  }
  const words = {
    tooMany: () => t('build.chat.attach.tooMany', { count: limits.chat_files }),
    tooLarge: (name: string) =>
      t('build.chat.attach.tooLarge', { name, size: formatBytes(limits.chat_file_bytes) }),
    tooLargeTogether: () =>
      t('build.chat.attach.tooLargeTogether', { size: formatBytes(roomFor(limits)) }),
    unreadable: (name: string) => t('build.chat.attach.unreadable', { name }),
  }
  async function addAll(files: readonly File[]): Promise<void> {
    setProblem(null)
    for (const file of files) {
      const refused = problemOfFile(file, kept.current, limits)
      const read = refused === null ? await readAttachment(count.current++, file) : null
      if (read === null) setProblem(words[refused ?? 'unreadable'](file.name))
      // Others may have been added while it was read.
      else if (problemOfFile(file, kept.current, limits) === null) keep([...kept.current, read])
    }
  }
  return {
    items,
    problem,
    add: (files) => void addAll(files),
    remove(id) {
      setProblem(null)
      keep(kept.current.filter((one) => one.id !== id))
    },
    clear() {
      setProblem(null)
      keep([])
    },
  }
}
