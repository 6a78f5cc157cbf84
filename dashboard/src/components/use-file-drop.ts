import { useState, type DragEvent } from 'react'
import { classNames } from '#ui/class-names.ts'

/** Props that let files be dropped on an element, which shows when files are over it. */
export function useFileDrop(className: string, onFiles: (files: readonly File[]) => void) {
  const [isOver, setIsOver] = useState(false)
  return {
    onDragOver(event: DragEvent) {
      event.preventDefault()
      setIsOver(true)
    },
    onDragLeave: () => setIsOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault()
      setIsOver(false)
      onFiles([...event.dataTransfer.files])
    },
    className: classNames(
      'rounded-2xl border-2 border-dashed px-5 transition-colors',
      isOver ? 'border-accent bg-accent-ground' : 'border-line',
      className,
    ),
  }
}
