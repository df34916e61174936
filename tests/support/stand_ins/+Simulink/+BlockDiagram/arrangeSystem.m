function arrangeSystem(~)
end
