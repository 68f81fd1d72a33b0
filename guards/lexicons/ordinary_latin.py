"""Latin words and abbreviations that stand in Korean texts without naming anything.

Source: our own list. Licence: the project's own.
"""

_ABBREVIATIONS = """
AI IT IoT ICT PC TV CCTV DVD CD USB SD HDMI LED LCD OLED GPS QR OTP PIN ID PW URL URI API SDK HTML
CSS HTTP HTTPS FTP IP DNS VPN LAN WAN SSL TLS SSH PDF DOC DOCX XLS XLSX PPT PPTX HWP HWPX CSV JSON
XML YAML JPG JPEG PNG GIF SVG MP3 MP4 ZIP SMS MMS LMS ARS FAX TEL FAQ Q&A QnA CEO CFO CTO COO CIO
HR PR IR CS AS A/S MOU NDA TF TFT OJT KPI ROI ESG CSR GDP GNP VAT ATM IC RFID NFC BBS SNS UI UX OS
DB ERP CRM SaaS ISO KS RH BMI MRI CT X-ray DNA RNA PCR COVID COVID-19 EU UN OECD WHO IMF FTA WTO
USA UK KOR ENG VIP AM PM DM DIY ASAP ETC VS OK NO YES NEW BEST HOT SALE TIP NOTE STEP OPEN CLOSE
FREE BGM MC PD DJ
"""
_WORDS = """
Wi-Fi WiFi Wifi Email E-mail Mail Web Website Homepage Internet Online Offline Login Logout Check
Check-in Check-out Checkin Checkout Step Tip Note Total Type Level Page No Yes Day Month Year Week
Time Date Name Number Room Hotel Home Menu Button Click File Folder Link Copy Paste Enter Shift
Ctrl Alt Esc Tab Delete Backup Update Version Manual Guide Help Service Center Team Manager
Project Report Meeting Plan Process System Data Server Client User Admin Password Question Answer
Source Reference Document Context Section Table Figure Chapter Article Summary Title Index Example
Free Basic Standard Premium Pro Plus Max Mini Lite New Best Good Special Event Point Card Bonus
Gift Coupon Sale Open Close Start Stop End Monday Tuesday Wednesday Thursday Friday Saturday
Sunday January February March April May June July August September October November December
Markdown Python JavaScript
"""

ORDINARY_LATIN = frozenset(word.casefold() for word in f"{_ABBREVIATIONS} {_WORDS}".split())
