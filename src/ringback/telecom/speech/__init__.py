"""What sentences on the line say, by rules: whose words they are, what they claim, how calls close.

The guard of the customer's model and the grading of failures both judge sentences by these. They
read words alone: what is true is for whoever asks.
"""
