/**
 * Finds ports of the loopback interface for programs that will listen later. The ports are below those that the system
 * gives to outgoing connections: a port from `listen(0)` can be taken by an outgoing connection before the program
 * listens.
 *
 * @returns different ports, all free at this moment
 */
export function freePorts(count: number): Promise<number[]>;
