import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from '#app/app.tsx'
import { keepShell } from '#app/offline-shell.ts'
import { reloadAfterUpdate } from '#app/reload-after-update.ts'
import { keepTheme } from '#app/theme.ts'
import './theme.css'

reloadAfterUpdate()
keepShell()
keepTheme()
const root = document.querySelector('#root')
if (root === null) throw new Error('the page has no root')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
