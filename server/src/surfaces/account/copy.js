// Shows each copy button of a page, which copies its data-copy.

async function copy(text) {
  if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(text)
  // Without https there is no clipboard object.
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}

async function copyFrom(button) {
  await copy(button.dataset.copy)
  button.textContent = button.dataset.copied
}

for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', () => void copyFrom(button))
}
