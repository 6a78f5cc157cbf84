/** Decides whether this process begins further requests; those that it has begun continue. */
export interface Admission {
  /**
   * To be called before anything else is done for a request that a client can send again.
   *
   * @param surface for the metric of refused requests
   * @throws Fault overloaded
   */
  admit(surface: string): void
  /** Counts a request as waiting until its answer begins. */
  track<T>(answer: () => Promise<T>): Promise<T>
}
