import { run } from '@tandem/service-defaults';
import { app } from '../src/app';

// Runs a voucher-service in a process that tests kill. It exits when its parent has ended.
void run(app);
