export { recordEvent, type AuditEvent } from './record-event.ts'
