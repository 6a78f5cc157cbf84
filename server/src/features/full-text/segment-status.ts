/**
 * The statuses of a segment. Searches read only `live` ones.
 *
 * `building`: of a document that is not published yet. `merging`: a job fills it. `dropped`: its
 * documents are gone or in another segment; a job deletes it.
 */
export type SegmentStatus = 'building' | 'merging' | 'live' | 'dropped'
