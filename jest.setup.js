// Long, because tests start and restart real servers. No test asserts how long something takes.
jest.setTimeout(120_000);
