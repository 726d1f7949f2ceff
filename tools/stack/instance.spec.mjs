import { isOtherProcess } from './instance.mjs';

describe('another process', () => {
  it('is found by its id and a part of its command line', () => {
    expect([isOtherProcess(process.ppid, 'n'), isOtherProcess(process.ppid, 'no such program')]).toEqual([true, false]);
  });

  it('is not found if the id belongs to this process or to no process', () => {
    expect([process.pid, 0, NaN, 2 ** 30].map((pid) => isOtherProcess(pid, 'node'))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
