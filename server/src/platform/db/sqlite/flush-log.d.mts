export function flushLog(log: string, file: number): number
