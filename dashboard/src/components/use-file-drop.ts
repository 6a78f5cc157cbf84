import { useState, type DragEvent } from 'react'
import { classNames } from '#ui/class-names.ts'

/** Handlers that let files be dropped on an element, and whether files are over it. */
export function useDropTarget(onFiles: (files: readonly File[]) => void) {
  const [isOver, setIsOver] = useState(false)
  const handlers = {
    onDragOver(event: DragEvent) {
      if (!event.dataTransfer.types.includes('Files')) return
      event.preventDefault()
      setIsOver(true)
    },
    onDragLeave: () => setIsOver(false),
    onDrop(event: DragEvent) {
      if (!event.dataTransfer.types.includes('Files')) return
      event.preventDefault()
      setIsOver(false)
      onFiles([...event.dataTransfer.files])
    },
  }
  return { isOver, handlers }
}

/** Props that let files be dropped on an element, which shows when files are over it. */
export function useFileDrop(className: string, onFiles: (files: readonly File[]) => void) {
  const { isOver, handlers } = useDropTarget(onFiles)
  return {
    ...handlers,
    className: classNames(
      'rounded-2xl border-2 border-dashed px-5 transition-colors',
      isOver ? 'border-accent bg-accent-ground' : 'border-line',
      className,
    ),
  }
}
