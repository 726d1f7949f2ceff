import { describeFaults } from './fixture/faults';

jest.setTimeout(120_000);

describeFaults('postgres');
