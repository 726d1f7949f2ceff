import type { ChangeUserBody } from './user.dto';
import type { CreateUserBody } from './user.dto';

export const CREATE_EXAMPLE: CreateUserBody = {
  firstName: 'Jane',
  lastName: 'Doe',
  dob: '1984-02-29',
  emailAddress: 'jane.doe@example.com',
  phoneNumber: '5035550142',
  ssn: '6789',
  address: { street: '1 Main Street', city: 'Portland', state: 'OR', zip: '97201' },
  version: 1,
};

export const CHANGE_EXAMPLE: ChangeUserBody = { emailAddress: 'jane@example.com', phoneNumber: '5035550143' };
