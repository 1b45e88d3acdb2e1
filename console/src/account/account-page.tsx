import { Page } from '../parts/page.js';

export const AccountPage = () => <Page title="AccountPage">…</Page>;
