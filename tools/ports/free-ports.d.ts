/**
 * Finds ports of the loopback interface for programs that listen later. They lie below the ports that the system gives to outgoing
 * connections: a port from `listen(0)` can be taken by any connection before its program listens.
 *
 * @returns different ports, all free at this moment
 */
export function freePorts(count: number): Promise<number[]>;
