import { postgresDriver } from './postgres-driver.ts'

const int8 = 20
const int8Array = 1016
const int4Array = 1007
const numeric = 1700

/** int8 and numeric come as numbers: epoch milliseconds and counts stay below 2^53. */
export const numbersAsNumbers = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === int8 || oid === numeric) return Number
    // An array of int4 is parsed to numbers already; one of int8 has the same text.
    return postgresDriver().types.getTypeParser(oid === int8Array ? int4Array : oid, format)
  },
}
